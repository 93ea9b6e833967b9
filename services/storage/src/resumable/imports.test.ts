// Uploads whose bytes become content as they come: the same content, written once, held until they end.
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KIB, MIB, resumableSegmentBytes } from '@cairn/protocol'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { countMergeable, hashSha256, recoverPacks } from '../packs/packs.ts'
import { startTestStorage } from '../start-test-storage.fixture.ts'
import { day, describeImports, idOf } from './import-world.fixture.ts'
import { maxSmallParts } from './small-parts.ts'
import { createTus } from './tus.fixture.ts'
import { removeExpired } from './worker.ts'

const never = new AbortController().signal
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describeImports('uploads that become content as they come, on %s', (world) => {
  test('have the CID of a single request, for any options, request boundaries and pieces', async () => {
    const { storage, create, read, receive, store, cidInOne, metadataOf, heldRows, importRows, expectClean } = world()
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
    const { storage, create, patch, head, info, read, figures, objectBytes, removePacks, expectClean, deletePlain } =
      world()
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

  test('hold their packs: no worker takes them, and no other upload relies on them', async () => {
    const {
      storage,
      tus,
      create,
      patch,
      read,
      packRows,
      heldRows,
      importRows,
      objectBytes,
      removePacks,
      expectClean,
      addPlain,
    } = world()
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
    const { storage, tus, create, patch, info, read, objectBytes, removePacks, expectClean, addPlain, deletePlain } =
      world()
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
    const { storage, create, patch, head, figures, packRows, importRows, objectBytes } = world()
    const path = await create(2 * resumableSegmentBytes)
    await patch(path, 0, randomBytes(resumableSegmentBytes + MIB))
    storage.pass(6 * day)
    await patch(path, resumableSegmentBytes + MIB, randomBytes(10))
    storage.pass(6 * day)
    expect((await head(path)).offset).toBe(resumableSegmentBytes + MIB + 10)
    storage.pass(day + 1000)
    await removeExpired(storage.context, never)
    expect((await head(path)).status).toBe(404)
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
    expect([await objectBytes('packs/'), await packRows(), await importRows()]).toEqual([0, [], []])
  })

  test('reach a limit with tiny parts', async () => {
    const { storage, create, patch, head } = world()
    const path = await create(resumableSegmentBytes)
    await storage.context.db.write((trx) => trx.updateTable('resumable_import').set({ parts: maxSmallParts }).execute())
    const small = await patch(path, 0, randomBytes(100))
    expect([small.status, small.headers.get('x-cairn-code')]).toEqual([413, 'TOO_MANY_PARTS'])
    expect(await head(path)).toEqual({ status: 200, offset: 0 })
    expect((await patch(path, 0, randomBytes(16 * KIB))).status).toBe(204)
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
