// What strangers can do with the CIDs of a private upload, at every endpoint of a running service, on both databases.

import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { encodeCarFrame, encodeCarHeader } from '@cairn/unixfs'
import * as dagCbor from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { mergePacks } from '../packs/packs.ts'
import { makePicture } from '../pictures/picture-gateway.fixture.ts'
import { createTus, tusMetadata } from '../resumable/tus.fixture.ts'
import { bearer, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import {
  absentLike,
  cidsOf,
  type Door,
  expectHidden,
  findDoors,
  open,
  openAccount,
  type PrivateAccount,
  request,
} from './private.fixture.ts'

describeOnDatabases('private uploads on %s', (newDatabase) => {
  let storage: TestStorage
  let owner: PrivateAccount
  let stranger: PrivateAccount
  let doors: Door[]
  beforeAll(async () => {
    const announced = { CAIRN_IPNI_INDEXERS: 'http://127.0.0.1:9' }
    storage = await startTestStorage({ ...(await newDatabase()), ...announced, CAIRN_RATE_FACTOR: '0' })
  })
  afterAll(() => storage?.[Symbol.asyncDispose]())
  beforeEach(async () => {
    owner = await openAccount(storage)
    stranger = await openAccount(storage)
    doors = findDoors(storage, stranger.key)
  })

  const big = () => randomBytes(600_000)
  const folder = () => ({ 'docs/a.txt': `secret ${randomBytes(8).toString('hex')}`, 'docs/b.bin': big(), 'c.txt': 'c' })
  const idOf = async (cid: string) =>
    (
      await storage.context.db.read
        .selectFrom('upload')
        .select('id')
        .where('cid', '=', cid)
        .where('is_private', '=', 1)
        .executeTakeFirstOrThrow()
    ).id
  const errorOf = (answer: { status: number; headers: Headers }) => [answer.status, answer.headers.get('x-cairn-code')]

  test('no endpoint distinguishes a private root, or any block below it, from content that is not stored', async () => {
    expect(doors.length).toBeGreaterThan(35)
    const files = folder()
    const root = await owner.uploadPrivate(files)
    const cids = await cidsOf(storage, await idOf(root), root)
    expect(cids.length).toBeGreaterThan(6)
    await expectHidden(doors, cids, absentLike)
    // Repeated after the owner has read everything, which fills every cache.
    const { url } = await owner.link(root)
    for (const form of [
      '/docs/a.txt',
      '/docs/b.bin',
      '/docs/',
      '/',
      '/?format=tar',
      '?format=car',
      '/docs/a.txt?w=10',
    ]) {
      const [path = '', more = ''] = form.split('?')
      const target = url.replace('?', `${path}?`) + (more === '' ? '' : `&${more}`)
      expect((await open(storage, target)).status, form).toBe(200)
    }
    await expectHidden(doors, cids, absentLike)
    const { db } = storage.context
    expect(await db.read.selectFrom('announcement').select('cid').where('cid', '=', root).execute()).toEqual([])
    expect(await db.read.selectFrom('handed_root').select('cid').where('cid', '=', root).execute()).toEqual([])
  })

  test('others cannot get it by pinning it, by linking to it, or by a CAR without its blocks', async () => {
    const root = await owner.uploadPrivate(folder())
    const leaf = (await cidsOf(storage, await idOf(root), root)).at(-1) ?? ''
    for (const cid of [root, leaf]) {
      const absent = absentLike(cid)
      const pin = (one: string) => stranger.call('/api/lighthouse/pin', 'POST', { cid: one })
      expect(errorOf(await pin(cid))).toEqual(errorOf(await pin(absent)))
      expect((await pin(cid)).status).toBe(404)
      const queued = await stranger.call('/pins', 'POST', { cid })
      expect(queued.json).toMatchObject({ status: 'queued' })
      const put = async (one: string) => {
        const form = new FormData()
        form.append('file', new Blob([JSON.stringify({ a: { '/': one } })]))
        return storage.call('/api/v0/dag/put', { method: 'POST', body: form, ...bearer(stranger.key) })
      }
      expect(errorOf(await put(cid))).toEqual(errorOf(await put(absent)))
      expect((await put(cid)).status).toBe(400)
      const node = dagCbor.encode({ to: CID.parse(cid) })
      const around = CID.createV1(dagCbor.code, await sha256.digest(node))
      const car = Buffer.concat([encodeCarHeader([around]), encodeCarFrame(around, node.length), node])
      for (const headers of [{}, { private: 'true' }]) {
        for (const given of [car, encodeCarHeader([CID.parse(cid)])]) {
          const sent = await stranger.sendCar(given, headers)
          expect(errorOf(sent)).toEqual([400, 'INCOMPLETE_DAG'])
        }
      }
      expect(errorOf(await stranger.call('/api/gateway-links', 'POST', { cid }))).toEqual([404, 'NOT_FOUND'])
      const { requestid } = queued.json as { requestid: string }
      const stateOf = () =>
        storage.context.db.read
          .selectFrom('pin')
          .select(['status', 'tries'])
          .where('id', '=', requestid)
          .executeTakeFirst()
      await expect.poll(async () => (await stateOf())?.tries).toBeGreaterThan(0)
      expect((await stateOf())?.status).not.toBe('pinned')
    }
    expect((await stranger.call('/api/user/files_uploaded')).json).toMatchObject({ totalFiles: 0 })
    const third = await openAccount(storage)
    await expectHidden(findDoors(storage, third.key), [root, leaf], absentLike)
  })

  test('a link opens a private upload in every form, and only its holder may cache responses', async () => {
    const files = folder()
    const root = await owner.uploadPrivate(files)
    const { url, expiresAt } = await owner.link(root)
    expect(url).toMatch(new RegExp(`^${storage.gatewayUrl}/ipfs/${root}\\?expires=\\d{10}&signature=[\\w-]{67}$`))
    expect(expiresAt - storage.context.clock.now()).toBeGreaterThan(3_590_000)
    const at = (path: string) => url.replace('?', `${path}?`)
    const whole = await open(storage, at('/docs/b.bin'))
    expect(whole.body.equals(files['docs/b.bin'])).toBe(true)
    expect(whole.headers).toMatchObject({ 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' })
    expect(whole.headers['x-ipfs-roots']).toBeUndefined()
    const range = await open(storage, at('/docs/b.bin'), { headers: { range: 'bytes=300000-300009' } })
    expect([range.status, range.body]).toEqual([206, files['docs/b.bin'].subarray(300_000, 300_010)])
    expect(range.headers['cache-control']).toBe('private, no-store')
    const head = await open(storage, at('/docs/b.bin'), { method: 'HEAD' })
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '600000', 0])
    const unchanged = await open(storage, at('/docs/b.bin'), {
      headers: { 'if-none-match': `${whole.headers['etag']}` },
    })
    expect([unchanged.status, unchanged.headers['cache-control']]).toEqual([304, 'private, no-store'])
    const posted = await open(storage, at('/c.txt').replace('/ipfs/', '/api/v0/cat/'), { method: 'POST' })
    expect([posted.status, `${posted.body}`]).toEqual([200, 'c'])
    const redirected = await open(storage, url)
    expect([redirected.status, redirected.headers['cache-control']]).toEqual([301, 'private, no-store'])
    const page = `${(await open(storage, at('/docs/'))).body}`
    const [, entry = ''] = /href="([^"]*a\.txt[^"]*)"/.exec(page) ?? []
    expect(`${(await request(storage, entry.replaceAll('&#38;', '&'))).body}`).toBe(files['docs/a.txt'])
    expect(page).not.toContain('?filename=')
    const { search } = new URL(url)
    const subdomain = await request(storage, `/c.txt${search}`, { headers: { host: `${root}.ipfs.localhost` } })
    expect([subdomain.status, `${subdomain.body}`]).toEqual([200, 'c'])
    const missing = await request(storage, `/none${search}`, { headers: { host: `${root}.ipfs.localhost` } })
    expect([missing.status, missing.headers['x-cairn-code']]).toEqual([404, 'PATH_NOT_FOUND'])
    for (const format of ['tar', 'car', 'raw']) {
      const formed = await open(storage, `${at('/')}&format=${format}`)
      expect([formed.status, formed.headers['cache-control']], format).toEqual([200, 'private, no-store'])
    }
  })

  test('a resized picture of a private upload may be stored by no cache', async () => {
    const cached = async () => {
      const files = await readdir(storage.home, { recursive: true })
      return files.filter((path) => /^cache\/pictures\/..\/./.test(path))
    }
    const bytes = await makePicture('jpeg')
    const root = await owner.uploadPrivate({ 'a.jpg': bytes })
    const { url } = await owner.link(root)
    for (let count = 0; count < 2; count++) {
      const picture = await open(storage, `${url}&w=100`)
      expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/jpeg'])
      expect(picture.headers['cache-control']).toBe('private, no-store')
    }
    expect(await cached()).toEqual([])
    const shown = await owner.upload({ 'a.jpg': bytes })
    expect((await request(storage, `/ipfs/${shown}?w=100`)).status).toBe(200)
    expect(await cached()).toHaveLength(1)
    // Also while a public upload has the same bytes.
    expect((await open(storage, `${url}&w=101`)).status).toBe(200)
    expect(await cached()).toHaveLength(1)
  })

  test('a changed, expired or transferred signature opens nothing', async () => {
    const files = folder()
    const root = await owner.uploadPrivate(files)
    const other = await owner.uploadPrivate({ 'docs/a.txt': 'other' })
    const file = new URL((await owner.link(root, { path: 'docs/a.txt', expiresInSeconds: 60 })).url)
    const docs = new URL((await owner.link(root, { path: '/docs/' })).url)
    const status = async (url: string) => {
      const { status, headers } = await open(storage, url)
      return [status, headers['x-cairn-code']]
    }
    const hidden = [404, 'BLOCK_NOT_FOUND']
    const swap = (url: URL, pathname: string) => `${url.origin}${pathname}${url.search}`
    expect(await status(file.href)).toEqual([200, undefined])
    expect(await status(swap(docs, `/ipfs/${root}/docs/a.txt`))).toEqual([200, undefined])
    expect(await status(swap(docs, `/ipfs/${root}/docs/none`))).toEqual([404, 'PATH_NOT_FOUND'])
    for (const path of [
      '',
      '/',
      '/docs',
      '/docs/',
      '/docs/b.bin',
      '/c.txt',
      '/docs/a.txt.',
      '/docs/a',
      '/docs%2Fa.txtx',
    ])
      expect(await status(swap(file, `/ipfs/${root}${path}`)), path).toEqual(hidden)
    for (const path of ['', '/', '/c.txt', '/docs2', '/docs/../c.txt', '/docs/%2e%2e/c.txt', '/docs%2f..%2fc.txt'])
      expect(await status(swap(docs, `/ipfs/${root}${path}`)), path).toEqual(hidden)
    expect(await status(swap(file, `/ipfs/${other}/docs/a.txt`))).toEqual(hidden)
    expect(await status(swap(docs, `/ipfs/${absentLike(root)}/docs/a.txt`))).toEqual(hidden)
    // The CAR of a path begins with the folders above it.
    expect(await status(`${file.href}&format=car`)).toEqual([406, 'NOT_ACCEPTABLE'])
    expect(await status(`${file.href}&format=raw`)).toEqual([200, undefined])
    const signature = file.searchParams.get('signature') ?? ''
    const bytes = Buffer.from(signature, 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      const url = file.href.replace(signature, changed.toString('base64url'))
      expect(await status(url), `byte ${at}`).toEqual(hidden)
    }
    for (const odd of [
      '',
      signature.slice(0, -1),
      `${signature}A`,
      `${signature}=`,
      `${signature.slice(0, 5)}*${signature.slice(5)}`,
    ])
      expect(await status(file.href.replace(signature, odd)), odd).toEqual(hidden)
    const expires = file.searchParams.get('expires') ?? ''
    for (const later of [
      `${Number(expires) + 1}`,
      `${expires}0`,
      `0${expires}`,
      '9'.repeat(13),
      'Infinity',
      '',
      `${expires}.0`,
    ])
      if (later !== `0${expires}`) expect(await status(file.href.replace(expires, later)), later).toEqual(hidden)
    storage.pass(61_000)
    expect(await status(file.href)).toEqual(hidden)
    expect(await status(swap(docs, `/ipfs/${root}/docs/a.txt`))).toEqual([200, undefined])
    expect(storage.log.join('')).not.toContain(signature)
  })

  test('a link is for an upload of the account, ends with it, and lives seven days at most', async () => {
    const root = await owner.uploadPrivate(folder())
    const sign = (body: object) => owner.call('/api/gateway-links', 'POST', { cid: root, ...body })
    for (const expiresInSeconds of [0, -1, 604_801, 1.5, '60'])
      expect(errorOf(await sign({ expiresInSeconds })), `${expiresInSeconds}`).toEqual([400, 'INVALID_REQUEST'])
    for (const path of ['..', 'docs/../c.txt', './a', 'x/'.repeat(513)])
      expect(errorOf(await sign({ path })), path).toEqual([400, 'INVALID_PATH'])
    for (const path of ['nope.txt', 'docs/nope.txt', 'c.txt/below', 'C.TXT'])
      expect(errorOf(await sign({ path })), path).toEqual([404, 'PATH_NOT_FOUND'])
    expect((await sign({ expiresInSeconds: 604_800 })).status).toBe(200)
    expect(errorOf(await storage.call('/api/gateway-links', jsonBody({ cid: root })))).toEqual([401, 'UNAUTHENTICATED'])
    const writer = await storage.createKey(undefined, { scopes: ['files:write'] })
    const { headers, ...rest } = jsonBody({ cid: root })
    const forbidden = await storage.call('/api/gateway-links', {
      ...rest,
      headers: { ...headers, ...bearer(writer).headers },
    })
    expect(errorOf(forbidden)).toEqual([403, 'FORBIDDEN'])
    const { url } = await owner.link(root, { path: 'c.txt' })
    expect((await open(storage, url)).status).toBe(200)
    expect((await owner.call(`/api/user/delete_file?cid=${root}`, 'DELETE')).status).toBe(200)
    expect((await open(storage, url)).status).toBe(404)
    const shown = await owner.upload({ 'open.txt': `open ${randomBytes(8).toString('hex')}` })
    const ofPublic = await open(storage, (await owner.link(shown)).url)
    expect([ofPublic.status, ofPublic.headers['cache-control']]).toEqual([200, 'public, max-age=29030400, immutable'])
  })

  test('the same bytes in a public upload are public, and private again without it', async () => {
    const files = { 'note.txt': `note ${randomBytes(8).toString('hex')}` }
    const secret = await owner.uploadPrivate(files)
    await expectHidden(doors, [secret], absentLike)
    expect(await stranger.upload(files)).toBe(secret)
    expect((await request(storage, `/ipfs/${secret}`)).status).toBe(200)
    const anonymous = (await storage.call(`/api/lighthouse/file_info?cid=${secret}`)).json
    expect(anonymous).toMatchObject({ fileName: 'note.txt' })
    expect(JSON.stringify(anonymous)).not.toContain('private')
    expect((await stranger.call(`/api/user/delete_file?cid=${secret}`, 'DELETE')).status).toBe(200)
    storage.context.packs.evict()
    const { db, clock } = storage.context
    await db.write((trx) =>
      trx.updateTable('pack').set({ state: 'removing' }).where('unreferenced_at', '<=', clock.now()).execute(),
    )
    storage.pass(2000)
    await expectHidden(
      doors.filter(({ name }) => name.includes('gateway') || name.includes('block')),
      [secret],
      absentLike,
    )
    expect((await open(storage, (await owner.link(secret)).url)).status).toBe(200)
  })

  test('only the owner sees which uploads are private', async () => {
    const secret = await owner.uploadPrivate({ 'mine.txt': `mine ${randomBytes(8).toString('hex')}` })
    const shown = await owner.upload({ 'ours.txt': `ours ${randomBytes(8).toString('hex')}` })
    const { fileList } = (await owner.call('/api/user/files_uploaded')).json as { fileList: Record<string, unknown>[] }
    expect(fileList.map(({ cid, private: isPrivate }) => [cid, isPrivate])).toEqual([
      [shown, undefined],
      [secret, true],
    ])
    const [{ Hash: sealed }] = (await owner.send({ 'sealed.txt': randomBytes(8) }, { encryption: 'true' })).json as [
      { Hash: string },
    ]
    const filters: [fileType: string, cids: string[]][] = [
      ['public', [shown]],
      ['private', [secret]],
      ['encrypted', [sealed]],
      ['plain', [secret, shown]],
      ['private,encrypted', [secret, sealed]],
      ['plain,encrypted', [secret, shown, sealed]],
      ['private,image', []],
    ]
    for (const [fileType, cids] of filters) {
      const { json } = await owner.call(`/api/user/files_uploaded?fileType=${fileType}&order=asc`)
      expect(json, fileType).toMatchObject({ fileList: cids.map((cid) => ({ cid })), totalFiles: cids.length })
    }
    const info = (cid: string) => owner.call(`/api/lighthouse/file_info?cid=${cid}`)
    expect((await info(secret)).json).toMatchObject({ isOwn: true, private: true })
    expect(Object.keys((await info(shown)).json as object)).not.toContain('private')
    expect(errorOf(await stranger.call(`/api/lighthouse/file_info?cid=${secret}`))).toEqual([404, 'NOT_FOUND'])
  })

  test('a damaged private block is reported without the signature of the link', async () => {
    const root = await owner.uploadPrivate({ 'd.bin': big() })
    const { url } = await owner.link(root)
    const uploadId = await idOf(root)
    const { db } = storage.context
    await db.write((trx) =>
      trx
        .updateTable('block')
        .set({ damaged_at: 1 })
        .where('pack_id', 'in', trx.selectFrom('upload_pack').select('pack_id').where('upload_id', '=', uploadId))
        .execute(),
    )
    const answer = await open(storage, `${url.replace('signature', '%73ignature')}&download=true`)
    expect([answer.status, answer.headers['x-cairn-code']]).toEqual([500, 'DATA_DAMAGED'])
    const lines = storage.log.filter((line) => line.includes('DATA_DAMAGED')).join('')
    expect(lines).toContain(`/ipfs/${root}?expires=`)
    expect(lines).toContain('signature=redacted')
    expect(storage.log.join('')).not.toContain(new URL(url).searchParams.get('signature'))
    // To anyone else it looks like content that is not stored.
    await expectHidden(doors, [root], absentLike)
  })

  test('a private upload is neither encrypted nor announced', async () => {
    for (const other of [{ encryption: 'true' }, { announce: 'true' }]) {
      const refused = await owner.send({ 'a.txt': 'a' }, { private: 'true', ...other })
      expect(errorOf(refused)).toEqual([400, 'INVALID_REQUEST'])
    }
    expect((await owner.call('/api/user/files_uploaded')).json).toMatchObject({ totalFiles: 0 })
    expect((await owner.send({ 'a.txt': 'a' }, { private: 'false' })).status).toBe(200)
  })

  test('an upload in parts and a CAR are private while they arrive and afterwards', async () => {
    const tus = createTus(() => ({ storage, key: owner.key, address: '' }))
    const bytes = randomBytes(20_000_000)
    const path = await tus.create(bytes.length, { filename: 'film.bin', private: 'true' })
    expect((await tus.patch(path, 0, bytes.subarray(0, 12_000_000))).status).toBe(204)
    const { db } = storage.context
    const held = await db.read
      .selectFrom('held_pack')
      .innerJoin('pack', 'pack.id', 'held_pack.pack_id')
      .innerJoin('block', 'block.pack_id', 'pack.id')
      .select(['is_private', 'multihash'])
      .execute()
    expect(held.length).toBeGreaterThan(10)
    for (const { is_private, multihash } of held.slice(0, 5)) {
      expect(is_private).toBe(1)
      expect(await storage.context.packs.locate([multihash])).toEqual([undefined])
    }
    const offset = (await tus.head(path)).offset
    expect((await tus.patch(path, offset, bytes.subarray(offset))).status).toBe(204)
    const root = (await tus.info(path)).result?.[0]?.Hash ?? ''
    await expectHidden(doors.slice(0, 12), [root], absentLike)
    expect((await open(storage, (await owner.link(root)).url)).body.equals(bytes)).toBe(true)
    const bad = await tus.tus('/api/uploads', {
      method: 'POST',
      headers: {
        'upload-length': '5',
        'upload-metadata': tusMetadata({ filename: 'a', private: 'true', encryption: 'true' }),
      },
    })
    expect(bad.status).toBe(400)
    const block = randomBytes(50)
    const cid = CID.createV1(0x55, await sha256.digest(block))
    const car = Buffer.concat([encodeCarHeader([cid]), encodeCarFrame(cid, block.length), block])
    expect((await owner.sendCar(car, { private: 'true' })).status).toBe(200)
    await expectHidden(doors, [`${cid}`], absentLike)
    expect((await open(storage, (await owner.link(`${cid}`)).url)).body.equals(block)).toBe(true)
  })

  test('stays private, and its link works, after its pack was merged with others', async () => {
    const roots: string[] = []
    for (let at = 0; at < 33; at++)
      roots.push(await owner.uploadPrivate({ 'm.txt': `m ${at} ${randomBytes(8).toString('hex')}` }))
    const root = roots[7] ?? ''
    const { url } = await owner.link(root, { expiresInSeconds: 604_800 })
    storage.pass(2 * 86_400_000)
    const { context } = storage
    const merged = await mergePacks(
      {
        ...context,
        clock: { now: context.clock.now, sleep: async () => undefined },
        owner: 'test',
        settings: {
          maxPackBytes: 2 ** 19,
          targetBytes: 2 ** 22,
          minAgeMs: 3_600_000,
          maxWaitMs: 3_600_000,
          bytesPerSecond: 1e9,
        },
        graceMs: 0,
        isBusy: async () => false,
      },
      new AbortController().signal,
    )
    expect(merged.packs).toBeGreaterThan(32)
    await expectHidden(doors, [root], absentLike)
    expect(`${(await open(storage, url)).body}`).toMatch(/^m 7 /)
  })
})
