// Uploads in parts survive broken connections, other writers, ended processes and errors of the store.
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MIB, resumableSegmentBytes } from '@cairn/protocol'
import { expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { startTestStorage } from '../start-test-storage.fixture.ts'
import { describeTus, until } from './describe-tus.fixture.ts'
import { acquireUpload } from './store.ts'
import { storeUpload } from './store-upload.ts'
import { storeLeftOver } from './worker.ts'

const never = new AbortController().signal
const block = ({ db }: Pick<Context, 'db'>, blockedAt: number | null) =>
  db.write((trx) => trx.updateTable('account').set({ blocked_at: blockedAt }).execute())
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describeTus('uploads in parts on %s', (world) => {
  test('keep the bytes received before the connection broke', async () => {
    const { create, head, info, read, breakOff, goOn } = world()
    const bytes = randomBytes(resumableSegmentBytes + 3 * MIB)
    const path = await create(bytes.length)
    const sent = resumableSegmentBytes + MIB + 5
    await breakOff(path, 0, bytes.length, bytes.subarray(0, sent))
    const { offset } = await until(
      () => head(path),
      (now) => now.offset > resumableSegmentBytes,
    )
    // Only bytes that the machine had not delivered yet are lost.
    expect(offset).toBeLessThanOrEqual(sent)
    await goOn(path, bytes)
    expect(sha256(await read((await info(path)).result?.[0]?.Hash ?? ''))).toBe(sha256(bytes))
  })

  test('reject one of two concurrent writers, and mix nothing', async () => {
    const { create, patch, info, read, figures } = world()
    const bytes = randomBytes(12 * MIB)
    const path = await create(bytes.length)
    const answers = await Promise.all([patch(path, 0, bytes), patch(path, 0, randomBytes(bytes.length))])
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses[0]).toBe(204)
    // Rejected while the other one wrote, or after it had finished.
    expect([409, 423]).toContain(statuses[1])
    expect(await figures()).toEqual({ used: bytes.length, reserved: 0, uploads: 1, parts: 0 })
    const stored = sha256(await read((await info(path)).result?.[0]?.Hash ?? ''))
    if (answers[0]?.status === 204) expect(stored).toBe(sha256(bytes))
    else expect(stored).not.toBe(sha256(bytes))
  })

  test('withdraw the right to write after a long silence, and ignore later bytes', async () => {
    const { storage, create, patch, info } = world()
    const path = await create(100)
    const id = path.split('/').at(-1) ?? ''
    const { context } = storage
    expect(await acquireUpload(context, id, 'receiving', 'silent')).toBeDefined()
    const busy = await patch(path, 0, randomBytes(100))
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([423, '1'])
    storage.pass(9_000)
    expect((await patch(path, 0, randomBytes(100))).status).toBe(204)
    expect((await info(path)).state).toBe('stored')
  })

  test('withdraw the right to write of a process whose clock was a day ahead', async () => {
    const { storage, create, patch, info } = world()
    const path = await create(100)
    const dayMs = 86_400_000
    storage.pass(dayMs)
    expect(await acquireUpload(storage.context, path.split('/').at(-1) ?? '', 'receiving', 'ahead')).toBeDefined()
    storage.pass(-dayMs)
    expect((await patch(path, 0, randomBytes(100))).status).toBe(204)
    expect((await info(path)).state).toBe('stored')
  })

  test('are stored once by the next request after all bytes arrived', async () => {
    const { storage, create, info, read, figures, dieBeforeStoring } = world()
    const bytes = randomBytes(2 * MIB)
    const path = await create(bytes.length)
    const { context } = storage
    await dieBeforeStoring(path, bytes)
    expect(await info(path)).toMatchObject({ state: 'storing', offsetBytes: bytes.length })
    expect(await storeLeftOver(context, never)).toBe(0)
    storage.pass(9_000)
    const rounds = await Promise.all([storeLeftOver(context, never), storeLeftOver(context, never)])
    // The service's worker may be the third.
    expect(rounds[0] + rounds[1]).toBeLessThanOrEqual(1)
    const { result } = await until(
      () => info(path),
      ({ state }) => state === 'stored',
    )
    expect(sha256(await read(result?.[0]?.Hash ?? ''))).toBe(sha256(bytes))
    expect(await figures()).toEqual({ used: bytes.length, reserved: 0, uploads: 1, parts: 0 })
  })

  test('of a blocked account wait, and are stored once it is unblocked', async () => {
    const { storage, create, info, figures, dieBeforeStoring } = world()
    const bytes = randomBytes(1000)
    const path = await create(bytes.length)
    const { context } = storage
    await dieBeforeStoring(path, bytes)
    await block(context, 1)
    storage.pass(9_000)
    expect(await storeLeftOver(context, never)).toBe(0)
    expect(await figures()).toMatchObject({ used: 0, uploads: 0, parts: 1 })
    await block(context, null)
    await storeLeftOver(context, never)
    await until(
      () => info(path),
      ({ state }) => state === 'stored',
    )
    expect(await figures()).toEqual({ used: bytes.length, reserved: 0, uploads: 1, parts: 0 })
  })

  test('are stored although the service was stopped each time that it stored them', async () => {
    const { storage, create, info, figures, dieBeforeStoring } = world()
    const bytes = randomBytes(1000)
    const path = await create(bytes.length)
    const { context } = storage
    await dieBeforeStoring(path, bytes)
    // Keeps the worker of the service from storing it in between.
    await block(context, 1)
    for (let stop = 0; stop < 20; stop++) {
      storage.pass(3_600_000)
      const upload = await acquireUpload(context, path.split('/').at(-1) ?? '', 'received', 'stopped')
      if (upload === undefined) throw new Error('the upload was given up')
      await expect(storeUpload(context, upload, 'stopped', AbortSignal.abort())).rejects.toThrow('aborted')
    }
    await block(context, null)
    await storeLeftOver(context, never)
    await until(
      () => info(path),
      ({ state }) => state === 'stored',
    )
    expect(await figures()).toEqual({ used: bytes.length, reserved: 0, uploads: 1, parts: 0 })
  })

  test('are stored although the last attempt failed while the clock was ahead', async () => {
    const { storage, create, info, figures, dieBeforeStoring } = world()
    const bytes = randomBytes(1000)
    const path = await create(bytes.length)
    await dieBeforeStoring(path, bytes)
    const { context } = storage
    const { numUpdatedRows } = await context.db.write((trx) =>
      trx
        .updateTable('resumable_upload')
        .set({ retry_at: context.clock.now() + 400 * 86_400_000, tries: 1 })
        .where('state', '=', 'received')
        .executeTakeFirstOrThrow(),
    )
    // The worker of the service may have stored it already.
    if (numUpdatedRows > 0n) await storeLeftOver(context, never)
    await until(
      () => info(path),
      ({ state }) => state === 'stored',
    )
    expect(await figures()).toEqual({ used: bytes.length, reserved: 0, uploads: 1, parts: 0 })
  })

  test('end with a clear error if a part is missing', async () => {
    const { storage, create, patch, figures } = world()
    const path = await create(MIB + 1)
    await patch(path, 0, randomBytes(MIB))
    for await (const name of storage.context.objects.list('uploads/')) {
      await storage.context.objects.remove(name)
    }
    const answer = await patch(path, MIB, randomBytes(1))
    expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([500, 'DATA_DAMAGED'])
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
  })

  test('continue at another replica', async () => {
    const { storage, settings, create, info, read, breakOff, goOn } = world()
    if (!('CAIRN_DATABASE_URL' in settings)) return
    await using other = await startTestStorage({
      ...settings,
      CAIRN_PACK_FOLDER: `${storage.home}/packs`,
      CAIRN_STORAGE_SECRET: Buffer.from(storage.context.secret).toString('hex'),
    })
    const bytes = randomBytes(10 * MIB)
    const path = await create(bytes.length)
    await breakOff(path, 0, bytes.length, bytes.subarray(0, 9 * MIB))
    await goOn(path, bytes, other)
    expect(sha256(await read((await info(path)).result?.[0]?.Hash ?? ''))).toBe(sha256(bytes))
  })

  test.each([2 * MIB, 2 * resumableSegmentBytes])('of %i bytes survive a disk that is not mounted', async (size) => {
    const { storage, create, patch, info, read, dieBeforeStoring } = world()
    const bytes = randomBytes(size)
    const path = await create(bytes.length)
    await dieBeforeStoring(path, bytes)
    storage.pass(9_000)
    const folder = join(storage.home, 'packs')
    await rename(folder, `${folder}-away`)
    await mkdir(folder)
    const ask = () =>
      until(
        () => patch(path, bytes.length, new Uint8Array()),
        ({ status }) => status !== 423,
      )
    const failed = await ask()
    expect([failed.status, failed.headers.get('x-cairn-code')]).toEqual([503, 'UNAVAILABLE'])
    expect(await info(path)).toMatchObject({ state: 'storing' })
    await rm(folder, { recursive: true })
    await rename(`${folder}-away`, folder)
    expect((await ask()).status).toBe(204)
    const { result } = await info(path)
    expect(sha256(await read(result?.[0]?.Hash ?? ''))).toBe(sha256(bytes))
  })

  test('survive an error of the store, and an empty request at the end retries', async () => {
    const { storage, create, patch, info, figures, dieBeforeStoring } = world()
    const bytes = randomBytes(2 * MIB)
    const path = await create(bytes.length)
    await dieBeforeStoring(path, bytes)
    storage.pass(9_000)
    const folder = join(storage.home, 'packs', 'tmp')
    await rename(folder, `${folder}-away`)
    const ask = () =>
      until(
        () => patch(path, bytes.length, new Uint8Array()),
        ({ status }) => status !== 423,
      )
    const failed = await ask()
    expect([failed.status, failed.headers.get('x-cairn-code')]).toEqual([500, 'STORAGE_FAILED'])
    expect(await info(path)).toMatchObject({ state: 'storing' })
    expect(await figures()).toMatchObject({ used: 0, reserved: bytes.length, parts: 1 })
    await rename(`${folder}-away`, folder)
    expect((await ask()).status).toBe(204)
    expect((await info(path)).state).toBe('stored')
    expect(await figures()).toEqual({ used: bytes.length, reserved: 0, uploads: 1, parts: 0 })
  })
})
