// Uploads whose bytes become content as they come.
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KIB, MIB, resumableSegmentBytes } from '@cairn/protocol'
import { openFileStore } from '@cairn/service/objects'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { freedFeedFrom } from '../multipart/freed-feed.fixture.ts'
import { feedFrom } from '../multipart/read-multipart.ts'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { check } from '../packs/check.ts'
import { comparePacks, countMergeable, hashSha256, recoverPacks } from '../packs/packs.ts'
import { removeUnreferencedPacks } from '../packs/remove-packs.ts'
import { bearer, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { addParts, fileSource } from '../uploads/uploads.ts'
import { receiveBytes } from './receive-bytes.ts'
import { maxSmallParts } from './small-parts.ts'
import { acquireUpload, releaseUpload } from './store.ts'
import { storeUpload } from './store-upload.ts'
import { createTus } from './tus.fixture.ts'
import { readUploadMetadata } from './upload-metadata.ts'
import { createResumableWorker, removeExpired, storeLeftOver } from './worker.ts'

const day = 24 * 3_600_000
const never = new AbortController().signal
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const idOf = (path: string) => path.split('/').at(-1) ?? ''

describeOnDatabases('uploads that become content as they come, on %s', (newDatabase) => {
  let storage: TestStorage
  let key: string
  const account = privateKeyToAccount(generatePrivateKey())
  const address = account.address.toLowerCase()
  beforeEach(async () => {
    storage = await startTestStorage({
      CAIRN_FREE_BYTES: String(512 * MIB),
      CAIRN_RATE_FACTOR: '0',
      ...(await newDatabase()),
    })
    key = await storage.createKey(account)
  })
  afterEach(() => storage[Symbol.asyncDispose]())

  const { tus, create, patch, head, info, read, figures } = createTus(() => ({ storage, key, address }))

  /** Receives bytes as one request does, in pieces of any size. */
  const receive = async (id: string, pieces: readonly Uint8Array[], context = storage.context): Promise<number> => {
    const upload = await acquireUpload(context, id, 'receiving', 'one')
    if (upload === undefined) throw new Error('another writer has it')
    try {
      return await receiveBytes(context, upload, 'one', freedFeedFrom(pieces))
    } finally {
      await releaseUpload(storage.context, id, 'one')
    }
  }
  const store = async (id: string) => {
    const upload = await acquireUpload(storage.context, id, 'received', 'two')
    if (upload === undefined) throw new Error('it is not complete')
    return storeUpload(storage.context, upload, 'two', never)
  }
  /** CID of the same bytes sent in one request. */
  const cidInOne = async (bytes: Uint8Array, metadata: string) => {
    const { settings, name } = readUploadMetadata(metadata)
    const options = { ...settings, isKubo: false, onlyHash: true }
    const { roots } = await addParts(
      storage.context,
      address,
      fileSource(feedFrom([bytes]), { fileName: name }),
      options,
    )
    return roots[0]?.Hash
  }
  const metadataOf = async (id: string) => {
    const row = await storage.context.db.read
      .selectFrom('resumable_upload')
      .select('metadata')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return row.metadata
  }
  const packRows = () => storage.context.db.read.selectFrom('pack').selectAll().orderBy('id').execute()
  const heldRows = () => storage.context.db.read.selectFrom('held_pack').selectAll().execute()
  const importRows = () => storage.context.db.read.selectFrom('resumable_import').select('upload_id').execute()
  const objectBytes = async (prefix: string): Promise<number> => {
    let bytes = 0
    for await (const name of storage.context.objects.list(prefix)) {
      bytes += (await storage.context.objects.size(name)) ?? 0
    }
    return bytes
  }
  const workerClock = () => ({ now: storage.context.clock.now, sleep: async () => undefined })
  const removePacks = () => removeUnreferencedPacks({ ...storage.context, clock: workerClock(), graceMs: day })
  const expectClean = async () => {
    expect(await Array.fromAsync(check({ ...storage.context, readData: 1 }))).toEqual([])
    expect(await comparePacks(storage.context)).toEqual({ unnamed: [], missing: [], returned: [] })
  }
  const addPlain = async (bytes: Uint8Array<ArrayBuffer>) => {
    const form = new FormData()
    form.append('file', new Blob([bytes]), 'a.bin')
    const answer = await storage.call('/api/v0/add?cid-version=1', { method: 'POST', ...bearer(key), body: form })
    return (answer.json as { Hash: string }).Hash
  }
  const deletePlain = async (cid: string) => {
    const row = await storage.context.db.read
      .selectFrom('upload')
      .select('id')
      .where('cid', '=', cid)
      .executeTakeFirstOrThrow()
    const answer = await storage.call(`/api/user/delete_file?id=${row.id}`, { method: 'DELETE', ...bearer(key) })
    expect(answer.status).toBe(200)
  }

  test('have the CID of one request, for any options, borders of requests and pieces', async () => {
    // Deterministic, so that a failure can be repeated.
    let seed = 7
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
      return seed % below
    }
    const chunks = [16 * KIB, 65_536, 100_000, 262_144, MIB, 2 * MIB - 256]
    for (let round = 0; round < chunks.length; round++) {
      const chunk = chunks[round] ?? 0
      // Lengths around the borders of chunks, at least one segment.
      const whole = Math.ceil(resumableSegmentBytes / chunk) + random(3)
      const bytes = randomBytes(Math.max(resumableSegmentBytes, whole * chunk + random(3) - 1))
      const path = await create(bytes.length, {
        filename: 'a.bin',
        chunker: `size-${chunk}`,
        'raw-leaves': String(random(2) === 0),
        'cid-version': '1',
        'max-file-links': String([2, 3, 174][random(3)]),
        ...(random(3) === 0 ? { 'wrap-with-directory': '1' } : {}),
      })
      const id = idOf(path)
      const borders = Array.from({ length: random(6) }, () => random(bytes.length))
      borders.push(chunk, chunk * 5, bytes.length)
      let from = 0
      for (const to of borders.sort((a, b) => a - b)) {
        const pieces: Uint8Array[] = []
        for (let at = from; at < to; ) {
          const size = Math.min(to - at, 1 + random(400_000))
          pieces.push(bytes.subarray(at, at + size))
          at += size
        }
        expect(await receive(id, pieces)).toBe(to)
        from = to
      }
      const [root] = await store(id)
      expect([round, root?.Hash]).toEqual([round, await cidInOne(bytes, await metadataOf(id))])
      const row = await storage.context.db.read
        .selectFrom('upload')
        .selectAll()
        .where('cid', '=', root?.Hash ?? '')
        .executeTakeFirst()
      expect(row).toMatchObject({ size_bytes: bytes.length })
      const inside = row?.kind === 'directory' ? `${root?.Hash}/a.bin` : (root?.Hash ?? '')
      expect(sha256(await read(inside))).toBe(sha256(bytes))
    }
    expect([await heldRows(), await importRows()]).toEqual([[], []])
    await expectClean()
  })

  test('are written once, and recognised by their first bytes', async () => {
    const bytes = Buffer.concat([Buffer.from('GIF89a'), randomBytes(2 * resumableSegmentBytes + 12_345)])
    const path = await create(bytes.length, { filename: '' })
    expect((await patch(path, 0, bytes.subarray(0, 3))).status).toBe(204)
    const cut = resumableSegmentBytes + MIB + 17
    expect((await patch(path, 3, bytes.subarray(3, cut))).status).toBe(204)
    expect(await head(path)).toEqual({ status: 200, offset: cut })
    expect(await info(path)).toMatchObject({ state: 'receiving', offsetBytes: cut })
    expect(await figures()).toEqual({ used: 0, reserved: bytes.length, uploads: 0, parts: 0 })
    const before = await objectBytes('packs/')
    expect((await patch(path, cut, bytes.subarray(cut))).status).toBe(204)
    const cid = (await info(path)).result?.[0]?.Hash ?? ''
    expect(sha256(await read(cid))).toBe(sha256(bytes))
    expect(before).toBeGreaterThan(cut - MIB)
    expect(await objectBytes('packs/')).toBeLessThan(bytes.length * 1.01)
    expect(await figures()).toEqual({ used: bytes.length, reserved: 0, uploads: 1, parts: 0 })
    const row = await storage.context.db.read.selectFrom('upload').select('mime_type').executeTakeFirst()
    expect(row).toEqual({ mime_type: 'image/gif' })
    expect((await head(path)).offset).toBe(bytes.length)
    await expectClean()
    await deletePlain(cid)
    storage.pass(2 * day)
    await removePacks()
    expect(await objectBytes('packs/')).toBe(0)
  })

  test('hold their packs: no worker takes them, no other upload relies on them', async () => {
    const { context } = storage
    const bytes = randomBytes(resumableSegmentBytes + MIB)
    const path = await create(bytes.length)
    // Small packs, which merging would take, and one of a whole segment.
    await patch(path, 0, bytes.subarray(0, 600_000))
    await patch(path, 600_000, bytes.subarray(600_000, bytes.length - 10))
    const before = await packRows()
    expect(before.map(({ hold, state }) => [hold, state])).toEqual(before.map(() => ['recovered', 'live']))
    storage.pass(6 * day)
    expect(await countMergeable(context.db, { maxPackBytes: MIB, minAgeMs: 0 }, context.clock.now())).toMatchObject({
      packs: 0,
    })
    expect(await recoverPacks(context)).toEqual({ unfinishedObjects: 0, abandonedPacks: 0 })
    expect(await removePacks()).toBe(0)
    await expectClean()
    const cid = await addPlain(bytes)
    expect(await heldRows()).toHaveLength(before.length)
    expect((await packRows()).length).toBe(before.length + 1)
    expect((await tus(path, { method: 'DELETE' })).status).toBe(204)
    // The space of a cancelled upload is free at once, and the other upload has its own bytes.
    expect(await packRows()).toMatchObject([{ hold: null, state: 'live', unreferenced_at: null }])
    expect(await objectBytes('packs/')).toBeLessThan(bytes.length * 1.01)
    expect(sha256(await read(cid))).toBe(sha256(bytes))
    expect([await heldRows(), await importRows()]).toEqual([[], []])
    await expectClean()
  })

  test('keep what they share with another upload until they end', async () => {
    const bytes = randomBytes(resumableSegmentBytes + 2 * MIB)
    const cid = await addPlain(bytes)
    const bytesBefore = await objectBytes('packs/')
    const path = await create(bytes.length)
    const cut = resumableSegmentBytes + 100
    await patch(path, 0, bytes.subarray(0, cut))
    expect(await objectBytes('packs/')).toBe(bytesBefore)
    await deletePlain(cid)
    storage.pass(3 * day)
    expect(await removePacks()).toBe(0)
    await expectClean()
    expect((await patch(path, cut, bytes.subarray(cut))).status).toBe(204)
    expect((await info(path)).result?.[0]?.Hash).toBe(cid)
    expect(sha256(await read(cid))).toBe(sha256(bytes))
    await expectClean()
    await deletePlain(cid)
    storage.pass(3 * day)
    expect(await removePacks()).toBeGreaterThan(0)
    expect(await objectBytes('packs/')).toBe(0)
    // The same with an upload that is cancelled.
    const again = await addPlain(bytes)
    const other = await create(bytes.length)
    await patch(other, 0, bytes.subarray(0, cut))
    await deletePlain(again)
    expect((await tus(other, { method: 'DELETE' })).status).toBe(204)
    await expectClean()
    storage.pass(3 * day)
    expect(await removePacks()).toBe(1)
    expect(await objectBytes('packs/')).toBe(0)
  })

  test('expire when abandoned, and free their space and their reservation', async () => {
    const path = await create(2 * resumableSegmentBytes)
    await patch(path, 0, randomBytes(resumableSegmentBytes + MIB))
    storage.pass(6 * day)
    await patch(path, resumableSegmentBytes + MIB, randomBytes(10))
    storage.pass(6 * day)
    expect((await head(path)).offset).toBe(resumableSegmentBytes + MIB + 10)
    storage.pass(day + 1000)
    expect((await head(path)).status).toBe(404)
    await removeExpired(storage.context, never)
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
    expect([await objectBytes('packs/'), await packRows(), await importRows()]).toEqual([0, [], []])
  })

  test('end with a clear error if a pack is missing, and leave nothing', async () => {
    const bytes = randomBytes(resumableSegmentBytes + MIB)
    const path = await create(bytes.length)
    await patch(path, 0, bytes.subarray(0, -1))
    for await (const name of storage.context.objects.list('packs/')) await storage.context.objects.remove(name)
    const answer = await patch(path, bytes.length - 1, bytes.subarray(-1))
    expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([500, 'DATA_DAMAGED'])
    expect(await info(path)).toMatchObject({ state: 'failed', error: { code: 'DATA_DAMAGED' } })
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
    expect([await packRows(), await heldRows(), await importRows()]).toEqual([[], [], []])
  })

  test('survive an error of the store at the end: the next request or the worker stores them', async () => {
    // The last byte completes no chunk.
    const sizeBytes = resumableSegmentBytes + MIB + 10
    for (const how of ['request', 'worker'] as const) {
      const bytes = randomBytes(sizeBytes)
      const path = await create(bytes.length)
      await patch(path, 0, bytes.subarray(0, -1))
      const folder = join(storage.context.config.packFolder, 'tmp')
      await rename(folder, `${folder}-away`)
      const failed = await patch(path, bytes.length - 1, bytes.subarray(-1))
      expect([failed.status, failed.headers.get('x-cairn-code')]).toEqual([500, 'STORAGE_FAILED'])
      expect(await info(path)).toMatchObject({ state: 'storing', offsetBytes: bytes.length })
      await rename(`${folder}-away`, folder)
      if (how === 'request') expect((await patch(path, bytes.length, new Uint8Array())).status).toBe(204)
      else {
        storage.pass(3_600_000)
        await storeLeftOver(storage.context, never)
      }
      const { state, result } = await info(path)
      expect(state).toBe('stored')
      expect(sha256(await read(result?.[0]?.Hash ?? ''))).toBe(sha256(bytes))
    }
    expect(await figures()).toEqual({ used: 2 * sizeBytes, reserved: 0, uploads: 2, parts: 0 })
    await expectClean()
  })

  test('lose nothing when a commit fails, or when only its answer is lost', async () => {
    const { context } = storage
    const bytes = randomBytes(resumableSegmentBytes + MIB)
    const path = await create(bytes.length)
    const id = idOf(path)
    await receive(id, [bytes.subarray(0, 300_000)])
    const packs = (await packRows()).length
    const failing = (when: 'before' | 'after'): Context => {
      let isArmed = false
      const write: Context['db']['write'] = async (work) => {
        if (!isArmed) return context.db.write(work)
        if (when === 'after') await context.db.write(work)
        throw new Error('the connection broke')
      }
      const seals: Context['packs'] = {
        ...context.packs,
        begin: (dependsOn) => {
          const writer = context.packs.begin(dependsOn)
          return {
            ...writer,
            bytesWritten: 0,
            async seal(roots) {
              const sealed = await writer.seal(roots)
              isArmed = true
              return sealed
            },
          }
        },
      }
      return { ...context, db: { ...context.db, write }, packs: seals }
    }
    await expect(receive(id, [bytes.subarray(300_000, MIB)], failing('before'))).rejects.toThrow('connection broke')
    expect((await head(path)).offset).toBe(300_000)
    expect((await packRows()).length).toBe(packs)
    await expectClean()
    storage.pass(9_000)
    await receive(id, [bytes.subarray(300_000, MIB)], failing('after'))
    expect((await head(path)).offset).toBe(MIB)
    storage.pass(9_000)
    expect((await patch(path, MIB, bytes.subarray(MIB))).status).toBe(204)
    expect(sha256(await read((await info(path)).result?.[0]?.Hash ?? ''))).toBe(sha256(bytes))
    await expectClean()
  })

  test('keep a pack whose process was killed before it confirmed it, and condemn one without a row', async () => {
    const { context } = storage
    const bytes = randomBytes(resumableSegmentBytes + MIB)
    const path = await create(bytes.length)
    await patch(path, 0, bytes.subarray(0, MIB))
    const [recorded] = await packRows()
    const lost = context.packs.begin()
    await lost.sink.put(CID.createV1(0x55, createDigest(0x12, hashSha256(bytes))), bytes.subarray(0, MIB))
    const sealed = await lost.seal([])
    await context.packs.confirm(sealed)
    for (const objectKey of [recorded?.object_key, sealed.own?.objectKey]) {
      await writeFile(join(context.config.packFolder, 'unconfirmed', `killed_${objectKey?.replaceAll('/', '_')}`), '')
    }
    const objects = await openFileStore(context.config.packFolder, { isAlone: true })
    expect(await recoverPacks({ ...context, objects })).toMatchObject({ abandonedPacks: 1 })
    await objects.close()
    expect((await packRows()).map(({ hold }) => hold)).toEqual(['recovered', 'abandoned'])
    // The process was not killed, only late: its unit of work fails on that row.
    await expect(context.db.write((trx) => context.packs.hold(trx, sealed, idOf(path)))).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    expect((await patch(path, MIB, bytes.subarray(MIB))).status).toBe(204)
    expect(sha256(await read((await info(path)).result?.[0]?.Hash ?? ''))).toBe(sha256(bytes))
  })

  test('reach a limit with tiny parts', async () => {
    const path = await create(resumableSegmentBytes)
    await storage.context.db.write((trx) => trx.updateTable('resumable_import').set({ parts: maxSmallParts }).execute())
    const small = await patch(path, 0, randomBytes(100))
    expect([small.status, small.headers.get('x-cairn-code')]).toEqual([413, 'TOO_MANY_PARTS'])
    expect(await head(path)).toEqual({ status: 200, offset: 0 })
    expect((await patch(path, 0, randomBytes(16 * KIB))).status).toBe(204)
  })

  test('continue after a replica of an earlier version, which received the bytes from the first one', async () => {
    const { context } = storage
    const bytes = randomBytes(resumableSegmentBytes + MIB)
    const path = await create(bytes.length)
    const id = idOf(path)
    await patch(path, 0, bytes.subarray(0, MIB))
    const receiveAsParts = async (from: number, to: number) => {
      const upload = await acquireUpload(context, id, 'receiving', 'old')
      if (upload === undefined) throw new Error('another writer has it')
      const seen = { ...upload, offset_bytes: from, isImporting: false }
      await receiveBytes(context, seen, 'old', freedFeedFrom([bytes.subarray(from, to)]))
      await releaseUpload(context, id, 'old')
    }
    await receiveAsParts(0, 1000)
    // What became content counts while it is more.
    expect((await head(path)).offset).toBe(MIB)
    await receiveAsParts(1000, 3 * MIB)
    expect((await head(path)).offset).toBe(3 * MIB)
    expect((await patch(path, 3 * MIB, bytes.subarray(3 * MIB))).status).toBe(204)
    expect(sha256(await read((await info(path)).result?.[0]?.Hash ?? ''))).toBe(sha256(bytes))
    expect(await figures()).toEqual({ used: bytes.length, reserved: 0, uploads: 1, parts: 0 })
    expect([await heldRows(), await importRows()]).toEqual([[], []])
    await expectClean()
  })

  test('that a replica of an earlier version removed leave their packs to the worker', async () => {
    const { context } = storage
    const path = await create(2 * resumableSegmentBytes)
    await patch(path, 0, randomBytes(MIB))
    await context.db.write(async (trx) => {
      await trx.deleteFrom('resumable_upload').where('id', '=', idOf(path)).execute()
    })
    const stop = new AbortController()
    const clock = { now: context.clock.now, sleep: async () => stop.abort() }
    await createResumableWorker(context, clock).run(stop.signal)
    expect([await packRows(), await heldRows(), await importRows()]).toEqual([[], [], []])
    expect(await objectBytes('packs/')).toBe(0)
  })
})

test('an upload with a denied block fails as soon as the block arrives, and leaves nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-denied-'))
  try {
    const bytes = randomBytes(2 * resumableSegmentBytes)
    const block = CID.createV1(0x55, createDigest(0x12, hashSha256(bytes.subarray(0, 262_144))))
    await writeFile(join(folder, 'own.deny'), `/ipfs/${block}\n`)
    await using storage = await startTestStorage({ CAIRN_DENYLIST_FILES: folder, CAIRN_RATE_FACTOR: '0' })
    const account = privateKeyToAccount(generatePrivateKey())
    const subject = { storage, key: await storage.createKey(account), address: account.address.toLowerCase() }
    const { create, patch, info, figures } = createTus(() => subject)
    const path = await create(bytes.length)
    const answer = await patch(path, 0, bytes.subarray(0, resumableSegmentBytes))
    expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([410, 'CONTENT_DENIED'])
    expect(await info(path)).toMatchObject({ state: 'failed', error: { code: 'CONTENT_DENIED' } })
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
    expect(await storage.context.db.read.selectFrom('pack').select('id').execute()).toEqual([])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
