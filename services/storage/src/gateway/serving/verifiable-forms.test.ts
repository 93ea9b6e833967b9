import { decodeNode, importProfiles } from '@cairn/unixfs'
import { CarBlockIterator } from '@ipld/car'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { codeOf } from '../../../../../tests/code-of.ts'
import { findLinkedValue } from '../linked-value.ts'
import { blockKey, createTestGateway, makeBytes, sha256 } from '../test-gateway.fixture.ts'
import { toTarItem, writeTar } from './serve-tar.ts'

const cidOf = (code: number, bytes: Uint8Array) => CID.createV1(code, Digest.create(0x12, sha256(bytes)))

describe('verifiable forms', () => {
  it('returns a raw block that hashes to its CID, whole or in part', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({ 'dir/a.txt': 'a' })
    for (const request of [
      { url: `/ipfs/${root}?format=raw` },
      { url: `/ipfs/${root}`, headers: { accept: 'application/vnd.ipld.raw' } },
      { url: `/ipfs/${root}?format=raw`, headers: { accept: 'application/vnd.ipld.car' } },
    ]) {
      const answer = await app.inject(request)
      expect(answer.headers).toMatchObject({
        'content-type': 'application/vnd.ipld.raw',
        'content-disposition': `attachment; filename="${root}.bin"`,
        etag: `"${root}.raw"`,
      })
      expect(Buffer.from(sha256(answer.rawPayload)).equals(root.multihash.digest)).toBe(true)
      const part = await app.inject({ ...request, headers: { ...request.headers, range: 'bytes=2-5' } })
      expect(part.rawPayload.equals(answer.rawPayload.subarray(2, 6))).toBe(true)
    }
    expect((await app.inject('/ipfs/bafkqaaa?format=raw')).statusCode).toBe(200)
    expect((await app.inject('/ipfs/bafkqaaa?format=raw')).rawPayload).toHaveLength(0)
  })

  it('returns the raw block of any codec, which it reads once and does not decode', async () => {
    const { app, addFolder, put, reads } = createTestGateway()
    const bytes = Buffer.from('neither UnixFS nor any other data')
    for (const code of [0x70, 0x71, 0x78, 0x90]) {
      const cid = cidOf(code, bytes)
      put(cid, bytes)
      const answer = await app.inject(`/ipfs/${cid}?format=raw`)
      expect([answer.statusCode, answer.body]).toEqual([200, bytes.toString()])
    }
    const root = await addFolder({ 'a.txt': 'a' })
    const before = reads.count
    expect((await app.inject(`/ipfs/${root}?format=raw`)).statusCode).toBe(200)
    expect(reads.count - before).toBe(1)
    const tooLong = CID.createV1(0x55, Digest.create(0, new Uint8Array(129)))
    expect((await app.inject(`/ipfs/${tooLong}?format=raw`)).statusCode).toBeGreaterThanOrEqual(400)
    const missing = cidOf(0x55, Buffer.from('missing'))
    expect((await app.inject(`/ipfs/${missing}?format=raw`)).statusCode).toBe(404)
    const cached = { url: `/ipfs/${missing}?format=raw`, headers: { 'cache-control': 'only-if-cached' } }
    expect((await app.inject(cached)).statusCode).toBe(412)
  })

  const readCar = async (bytes: Uint8Array) => {
    const cids: string[] = []
    for await (const { cid, bytes: block } of await CarBlockIterator.fromBytes(bytes)) {
      expect(Buffer.from(sha256(block)).equals(cid.multihash.digest)).toBe(true)
      cids.push(cid.toString())
    }
    return cids
  }

  it('returns a CAR with the path and the content of each scope', async () => {
    const { app, addFolder, addFile } = createTestGateway()
    const profile = { ...importProfiles.v1, chunkSizeBytes: 100 }
    const root = await addFolder({ 'dir/one.bin': makeBytes(250), 'dir/two.bin': makeBytes(250) }, profile)
    const file = await addFile(makeBytes(250), profile)
    const dir = String((await app.inject(`/ipfs/${root}/dir/?format=raw`)).headers['x-ipfs-roots']).split(',')[1]
    const leaves = [0, 100, 200].map((at) => cidOf(0x55, makeBytes(250).subarray(at, at + 100)).toString())
    const get = async (query: string, accept?: string) => {
      const answer = await app.inject({ url: `/ipfs/${root}/dir${query}`, headers: accept ? { accept } : {} })
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['accept-ranges']).toBe('none')
      return { cids: await readCar(answer.rawPayload), type: answer.headers['content-type'] }
    }
    const car = 'application/vnd.ipld.car'
    expect(await get('?format=car')).toEqual({
      cids: [root.toString(), dir, file.toString(), ...leaves],
      type: `${car}; version=1; order=dfs; dups=n`,
    })
    expect(await get('', `${car}; version=1; order=dfs; dups=y`)).toEqual({
      cids: [root.toString(), dir, file.toString(), ...leaves, file.toString(), ...leaves],
      type: `${car}; version=1; order=dfs; dups=y`,
    })
    expect((await get('?format=car&dag-scope=block')).cids).toEqual([root.toString(), dir])
    expect((await get('?format=car&dag-scope=entity')).cids).toEqual([root.toString(), dir])
    expect((await get('/one.bin?format=car&entity-bytes=120:-100')).cids).toEqual([
      root.toString(),
      dir,
      file.toString(),
      leaves[1],
    ])
    for (const bad of ['dag-scope=some', 'entity-bytes=5', 'entity-bytes=9:2', 'entity-bytes=a:b']) {
      expect((await app.inject(`/ipfs/${root}?format=car&${bad}`)).statusCode, bad).toBe(400)
    }
    for (const bad of ['version=2', 'dups=maybe', 'order=random']) {
      const answer = await app.inject({ url: `/ipfs/${root}`, headers: { accept: `${car}; ${bad}` } })
      expect(answer.statusCode, bad).toBe(400)
    }
  })

  it('returns a CAR that proves that a path does not exist', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({ 'dir/a.txt': 'a' })
    const { headers } = await app.inject(`/ipfs/${root}/dir/a.txt?format=raw`)
    const [, dir, file] = String(headers['x-ipfs-roots']).split(',')
    for (const [path, cids] of [
      ['nothing', [root.toString()]],
      ['dir/nothing/below', [root.toString(), dir]],
      ['dir/a.txt/below', [root.toString(), dir, file]],
    ] as const) {
      const url = `/ipfs/${root}/${path}?format=car&dag-scope=entity`
      const answer = await app.inject(url)
      expect(answer.statusCode, path).toBe(200)
      expect(answer.headers['x-ipfs-roots']).toBe(root.toString())
      expect(await readCar(answer.rawPayload)).toEqual(cids)
      const stated = await (await CarBlockIterator.fromBytes(answer.rawPayload)).getRoots()
      expect(stated.map(String)).toEqual(['bafkqaaa'])
      const again = await app.inject({ url, headers: { 'if-none-match': String(answer.headers.etag) } })
      expect([again.statusCode, (await app.inject({ url, method: 'HEAD' })).statusCode]).toEqual([304, 200])
    }
    expect((await app.inject(`/ipfs/${root}/nothing?format=car&dag-scope=some`)).statusCode).toBe(400)
    expect((await app.inject(`/ipfs/${root}/nothing?format=raw`)).statusCode).toBe(404)
    const elsewhere = await createTestGateway().addFolder({ 'b.txt': 'b' })
    expect((await app.inject(`/ipfs/${elsewhere}/b.txt?format=car`)).statusCode).toBe(404)
  })

  it('returns the address of a format chosen by Accept', async () => {
    const { app, addFile } = createTestGateway()
    const cid = await addFile('x')
    const get = async (query: string, accept: string) =>
      (await app.inject({ url: `/ipfs/${cid}${query}`, headers: { accept } })).headers['content-location']
    expect(await get('', 'application/vnd.ipld.raw')).toBe(`/ipfs/${cid}?format=raw`)
    expect(await get('?filename=a%20b', 'application/vnd.ipld.car; order=dfs; dups=y')).toBe(
      `/ipfs/${cid}?car-dups=y&car-order=dfs&filename=a+b&format=car`,
    )
    expect(await get('?format=raw', 'application/vnd.ipld.car')).toBeUndefined()
    expect(await get('', 'text/html,*/*')).toBeUndefined()
  })

  it('shows documents unchanged and converts nothing', async () => {
    const { app, put, addFile } = createTestGateway()
    const leaf = await addFile('leaf')
    const json = dagJson.encode({ foo: { link: leaf }, bar: 'text' })
    const cbor = dagCbor.encode({ foo: { link: leaf }, bar: 'text', list: [1, leaf] })
    const jsonCid = cidOf(dagJson.code, json)
    const cborCid = cidOf(dagCbor.code, cbor)
    put(jsonCid, json)
    put(cborCid, cbor)
    const get = (url: string, accept?: string) => app.inject({ url, headers: accept ? { accept } : {} })
    for (const [cid, bytes, name, kind] of [
      [jsonCid, json, 'json', 'inline'],
      [cborCid, cbor, 'cbor', 'attachment'],
    ] as const) {
      const plain = await get(`/ipfs/${cid}`)
      expect(plain.rawPayload.equals(bytes)).toBe(true)
      expect(plain.headers).toMatchObject({
        'content-type': `application/vnd.ipld.dag-${name}`,
        'content-disposition': `${kind}; filename="${cid}.${name}"`,
        etag: `"${cid}.dag-${name}"`,
      })
      expect((await get(`/ipfs/${cid}?format=${name}`)).headers['content-type']).toBe(`application/${name}`)
      const page = await get(`/ipfs/${cid}`, 'text/html')
      expect(page.headers['etag']).toContain('DagIndex-')
      expect(page.body).toContain('</html>')
      expect((await get(`/ipfs/${cid}/foo/link`)).body).toBe('leaf')
      expect((await get(`/ipfs/${cid}/foo/link?format=car`)).statusCode).toBe(200)
      expect((await get(`/ipfs/${cid}/foo`)).statusCode).toBe(501)
      expect((await get(`/ipfs/${cid}/nope`)).statusCode).toBe(404)
    }
    expect((await get(`/ipfs/${cborCid}/list/1`)).body).toBe('leaf')
    expect((await get(`/ipfs/${jsonCid}?format=dag-cbor`)).statusCode).toBe(406)
    expect((await get(`/ipfs/${cborCid}?format=json`)).statusCode).toBe(406)
    expect((await get(`/ipfs/${leaf}?format=dag-json`)).statusCode).toBe(406)
    expect((await get(`/ipfs/${leaf}?format=json`)).body).toBe('leaf')
    expect((await get(`/ipfs/${leaf}?format=ipns-record`)).statusCode).toBe(400)
  })

  it('reads no link of a document that is longer than a CID: its decoding would stop the service for hours', async () => {
    const { app, addFile } = createTestGateway()
    const link = CID.createV1(0x55, Digest.create(0, makeBytes(220))).toString()
    const json = JSON.stringify({ a: { '/': link } })
    // The bytes of a file, which anyone can request under another codec.
    const file = await addFile(json, { ...importProfiles.v1, rawLeaves: true })
    expect(file.code).toBe(0x55)
    const cid = CID.createV1(dagJson.code, file.multihash)
    for (const path of ['', '/a', '/a/b']) {
      expect((await app.inject(`/ipfs/${cid}${path}`)).headers['x-cairn-code'], path).toBe('UNSUPPORTED_CODEC')
    }
    const source = { get: async () => Buffer.from(json) }
    const finding = findLinkedValue(source, cid, ['a'], new AbortController().signal)
    await expect(finding).rejects.toMatchObject({ code: 'BAD_BLOCK' })
  })

  it('follows a path into a large document, or one of many levels, without building its values', async () => {
    const leaf = await createTestGateway().addFile('leaf')
    const find = async (cid: CID, bytes: Uint8Array, ...path: string[]) =>
      findLinkedValue({ get: async () => bytes }, cid, path, new AbortController().signal)
    let deep: unknown = leaf
    for (let level = 0; level < 300; level++) deep = [deep]
    const list = [...new Array<number>(100_000).fill(7), { at: leaf, '': { '/a': [1.5, 'text', null, leaf] } }]
    const map = { list, deep, '/': 1, length: 'none', é: [Buffer.from('bytes'), { leaf }] }
    for (const [code, bytes] of [
      [dagJson.code, dagJson.encode(map)],
      [dagCbor.code, dagCbor.encode(map)],
    ] as const) {
      const cid = cidOf(code, bytes)
      const found = { link: leaf, remaining: ['b'] }
      expect(await find(cid, bytes, 'list', '100000', 'at', 'b')).toEqual(found)
      expect(await find(cid, bytes, 'list', '100000', '', '/a', '3', 'b')).toEqual(found)
      expect(await find(cid, bytes, 'é', '1', 'leaf', 'b')).toEqual(found)
      expect(await find(cid, bytes, 'deep', ...new Array<string>(300).fill('0'), 'b')).toEqual(found)
      expect(await find(cid, bytes, 'list', '99999')).toEqual({ link: undefined, remaining: ['list', '99999'] })
      for (const path of [
        ['list', '100001'],
        ['list', '01'],
        ['list', 'length'],
        ['list', '5', 'x'],
        ['constructor'],
        ['é', '0', '/'],
      ]) {
        await expect(find(cid, bytes, ...path), path.join('/')).rejects.toMatchObject({ code: 'NOT_FOUND' })
      }
      await expect(find(cid, bytes.subarray(0, 50_000), 'list', '100000')).rejects.toMatchObject({ code: 'BAD_BLOCK' })
    }
  })

  it('tells shared caches that an answer depends on Accept, unless the URL names its format', async () => {
    const { app, addFolder, put } = createTestGateway({ hosts: ['dweb.test'] })
    const root = await addFolder({ 'a.html': '<p>a', 'folder/b': 'b' })
    const json = dagJson.encode({ a: 1 })
    const document = cidOf(dagJson.code, json)
    put(document, json)
    const types = ['raw', 'car', 'dag-json'].map((name) => `application/vnd.ipld.${name}`)
    for (const accept of ['text/html', '*/*', 'application/x-tar', ...types]) {
      for (const path of ['/a.html', '/folder', '/folder/']) {
        const { statusCode, headers } = await app.inject({ url: `/ipfs/${root}${path}`, headers: { accept } })
        if (statusCode < 400) expect(headers['vary'], `${accept} ${path}`).toBe('Accept')
        const url = `http://dweb.test/ipfs/${root}${path}`
        expect((await app.inject({ url, headers: { accept } })).headers['vary'], url).toBe('Accept')
        const etag = String(headers['etag'])
        const again = await app.inject({
          url: `/ipfs/${root}${path}`,
          headers: { accept, 'if-none-match': etag },
        })
        if (again.statusCode === 304) expect(again.headers['vary']).toBe('Accept')
      }
      if (accept === 'application/x-tar') continue
      expect((await app.inject({ url: `/ipfs/${document}`, headers: { accept } })).headers['vary']).toBe('Accept')
    }
    expect((await app.inject(`/ipfs/${root}/a.html?format=raw`)).headers['vary']).toBeUndefined()
  })

  it('points links of a document to the gateway of its subdomain, and not beyond a signature', async () => {
    const { app, addFile, put } = createTestGateway({ hosts: ['dweb.test'] })
    const leaf = await addFile('leaf')
    const bytes = dagJson.encode({ leaf })
    const document = cidOf(dagJson.code, bytes)
    put(document, bytes)
    const page = async (url: string) => (await app.inject({ url, headers: { accept: 'text/html' } })).body
    expect(await page(`/ipfs/${document}`)).toContain(`href="/ipfs/${leaf}"`)
    const own = `http://${document}.ipfs.dweb.test/`
    const [, href = ''] = /href="([^"]*)">bafk/.exec(await page(own)) ?? []
    expect((await app.inject(new URL(href, own).href)).headers.location).toContain(`//${leaf}.ipfs.dweb.test`)
    const signed = await page(`/ipfs/${document}?expires=1&signature=x`)
    expect(signed).not.toContain(`/ipfs/${leaf}`)
    expect(signed).toContain('href="?expires=1&#38;signature=x&amp;format=raw"')
  })

  it('packs names with a backslash, which is an ordinary character, unless they would leave the folder', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({ 'a/back\\slash': 'one', 'z.txt': 'two' })
    const answer = await app.inject(`/ipfs/${root}?format=tar`)
    expect(answer.statusCode).toBe(200)
    const { execFileSync } = await import('node:child_process')
    const names = execFileSync('tar', ['-tf', '-', '--quoting-style=literal'], { input: answer.rawPayload }).toString()
    expect(names.trim().split('\n').sort()).toEqual(
      [`${root}`, `${root}/a`, `${root}/a/back\\slash`, `${root}/z.txt`].sort(),
    )
    const bad = await addFolder({ '..\\x': 'one' })
    expect((await app.inject(`/ipfs/${bad}?format=tar`)).headers['x-cairn-code']).toBe('INVALID_PATH')
  })

  it('packs many small files and a large one into a tar, in pieces that are worth a write', async () => {
    const { blocks, addFolder } = createTestGateway()
    const names = Array.from({ length: 500 }, (_, at) => `small ${at}.txt`)
    const large = makeBytes(300_000)
    const cid = await addFolder({ ...Object.fromEntries(names.map((name) => [name, `of ${name}`])), large })
    const source = { get: async (wanted: CID) => blocks.get(blockKey(wanted)) ?? new Uint8Array() }
    const first = toTarItem({ cid, node: decodeNode(cid, await source.get(cid)) }, 'root')
    const pieces: Uint8Array[] = []
    const { signal } = new AbortController()
    for await (const piece of writeTar({ source, signal }, first)) pieces.push(piece)
    // A header, content and padding per small file would be three pieces each.
    expect(pieces.length).toBeLessThan(30)
    const tar = Buffer.concat(pieces)
    const { execFileSync } = await import('node:child_process')
    const list = execFileSync('tar', ['-tf', '-'], { input: tar }).toString().trim().split('\n')
    const wanted = ['', ...names.map((name) => `/${name}`), '/large'].map((path) => `root${path}`)
    expect(list.map((path) => path.replace(/\/$/, '')).sort()).toEqual(wanted.sort())
    expect(execFileSync('tar', ['-xOf', '-', 'root/large'], { input: tar }).equals(large)).toBe(true)
    expect(execFileSync('tar', ['-xOf', '-', 'root/small 77.txt'], { input: tar }).toString()).toBe('of small 77.txt')
  })

  it('packs folders with many nested links only up to a limit, because all of them are in memory', async () => {
    const { blocks, addFolder } = createTestGateway()
    const cid = await addFolder({
      'a/b/c/1': '1',
      'a/b/c/2': '2',
      'a/b/1': '1',
      'a/1': '1',
      'b/1': '1',
      'b/2': '2',
      '1': '1',
    })
    const source = { get: async (wanted: CID) => blocks.get(blockKey(wanted)) ?? new Uint8Array() }
    const first = toTarItem({ cid, node: decodeNode(cid, await source.get(cid)) }, 'root')
    const { signal } = new AbortController()
    const pack = (maxOpenLinks: number) => Array.fromAsync(writeTar({ source, signal, maxOpenLinks }, first))
    // Three links, then two, two and two on the way to the deepest.
    expect((await pack(9)).length).toBeGreaterThan(0)
    expect(await codeOf(pack(8))).toBe('DAG_TOO_DEEP')
  })

  it('packs files and folders into a tar', async () => {
    const { app, addFolder } = createTestGateway()
    const long = 'ż'.repeat(90)
    const root = await addFolder({ 'a/b.txt': 'bee', [`${long}.bin`]: makeBytes(700), link: { target: 'a/b.txt' } })
    const answer = await app.inject(`/ipfs/${root}?format=tar`)
    expect(answer.headers).toMatchObject({ 'content-type': 'application/x-tar', etag: `W/"${root}.x-tar"` })
    expect(answer.rawPayload.length % 512).toBe(0)
    const { execFileSync } = await import('node:child_process')
    const list = execFileSync('tar', ['-tf', '-', '--quoting-style=literal'], {
      input: answer.rawPayload,
      env: { LC_ALL: 'C.UTF-8', PATH: process.env['PATH'] },
    })
    expect(list.toString().trim().split('\n').sort()).toEqual(
      [`${root}`, `${root}/a`, `${root}/a/b.txt`, `${root}/link`, `${root}/${long}.bin`].sort(),
    )
    const content = execFileSync('tar', ['-xOf', '-', `${root}/a/b.txt`], { input: answer.rawPayload })
    expect(content.toString()).toBe('bee')
  })
})
