// Uploads whose bytes become content as they come survive failed commits, killed processes and earlier versions.
import { createHash, randomBytes } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MIB, resumableSegmentBytes } from '@cairn/protocol'
import { openFileStore } from '@cairn/service/objects'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { freedFeedFrom } from '../multipart/freed-feed.fixture.ts'
import { hashSha256, recoverPacks } from '../packs/packs.ts'
import { describeImports, idOf } from './import-world.fixture.ts'
import { receiveBytes } from './receive-bytes.ts'
import { acquireUpload, dropForeignImports, releaseUpload } from './store.ts'
import { createResumableWorker, storeLeftOver } from './worker.ts'

const never = new AbortController().signal
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describeImports('uploads that become content as they come, on %s', (world) => {
  test('end with a clear error if a pack is missing, and leave nothing', async () => {
    const { storage, create, patch, info, figures, packRows, heldRows, importRows } = world()
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

  test('survive an error of the store at the end, and the next request or the worker stores them', async () => {
    const { storage, create, patch, info, read, figures, expectClean } = world()
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

  test('are not among those that an earlier version ended', async () => {
    const { storage, create, patch, info, importRows } = world()
    const bytes = randomBytes(resumableSegmentBytes + MIB)
    const path = await create(bytes.length)
    await patch(path, 0, bytes.subarray(0, -1))
    expect(await dropForeignImports(storage.context)).toEqual([])
    expect(await importRows()).toHaveLength(1)
    expect((await patch(path, bytes.length - 1, bytes.subarray(-1))).status).toBe(204)
    expect((await info(path)).state).toBe('stored')
  })

  test('lose nothing when a commit fails, or when only its answer is lost', async () => {
    const { storage, create, patch, head, info, read, receive, packRows, expectClean } = world()
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
        begin: (options) => {
          const writer = context.packs.begin(options)
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

  test('keep a pack whose process was killed before it confirmed it, and remove one without a row', async () => {
    const { storage, create, patch, info, read, packRows } = world()
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

  test('continue after a replica of an earlier version, which received the bytes from the first one', async () => {
    const { storage, create, patch, head, info, read, figures, heldRows, importRows, expectClean } = world()
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

  test('removed by a replica of an earlier version leave their packs to the worker', async () => {
    const { storage, create, patch, packRows, heldRows, importRows, objectBytes } = world()
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
