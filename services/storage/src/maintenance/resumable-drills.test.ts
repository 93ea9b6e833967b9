// Restores in the middle of uploads whose bytes become content as they arrive.
import { randomBytes } from 'node:crypto'
import { CairnError, MIB, resumableSegmentBytes, tusBodyType, type UploadInfo } from '@cairn/protocol'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { removeUnreferencedPacks } from '../packs/removal/remove-packs.ts'
import { type Drill, openDrill, type Running } from './drill.fixture.ts'
import { checkStore, recoverStore, settleUnlisted } from './maintain.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres?.stop())

const needsRecovery = (error: unknown) => CairnError.is(error, 'RECOVERY_NEEDED')
const day = 86_400_000

describe.each(databaseKinds)('a restore during a resumable upload, on %s', (kind) => {
  let drill: Drill
  let key: string
  beforeEach(async () => {
    drill = await openDrill(kind === 'postgres' ? postgres : undefined)
  })
  afterEach(() => drill[Symbol.asyncDispose]())

  const ask = (running: Running, path: string, options: RequestInit & { headers?: Record<string, string> } = {}) =>
    fetch(`${running.apiUrl}${path}`, {
      ...options,
      headers: { authorization: `Bearer ${key}`, 'tus-resumable': '1.0.0', ...options.headers },
    })
  const begin = async (running: Running, lengthBytes: number): Promise<string> => {
    const headers = { 'upload-length': String(lengthBytes) }
    const answer = await ask(running, '/api/uploads', { method: 'POST', headers })
    return `/api/${answer.headers.get('location')}`
  }
  const send = async (running: Running, path: string, from: number, bytes: Buffer<ArrayBuffer>) => {
    const headers = { 'upload-offset': String(from), 'content-type': tusBodyType }
    const answer = await ask(running, path, { method: 'PATCH', headers, body: bytes })
    expect(answer.status).toBe(204)
  }
  const inspect = async (running: Running, path: string) => (await (await ask(running, path)).json()) as UploadInfo
  const expectClean = async () => {
    const output: string[] = []
    await checkStore(drill.config(), { readData: 1 }, (_json, text) => output.push(text))
    expect(output).toEqual(['The database matches the packs.'])
  }
  const recover = async (options: { takeOver: boolean; owner: string | undefined }) => {
    const reported: object[] = []
    await recoverStore(drill.config(), options, (json) => reported.push(json))
    return reported.at(-1)
  }
  const discard = async (...packs: string[]) => {
    const reported: object[] = []
    await settleUnlisted(drill.config(), packs, (json) => reported.push(json))
    return reported.at(-1)
  }
  const removePacks = ({ context }: Running, daysLater: number) =>
    removeUnreferencedPacks({
      ...context,
      clock: { now: () => Date.now() + daysLater * day, sleep: async () => undefined },
    })

  test('continues from the bytes that the older database knows', async () => {
    const bytes = randomBytes(3 * resumableSegmentBytes)
    const cut = resumableSegmentBytes + MIB + 5
    let path: string
    {
      await using running = await drill.start()
      key = await running.signIn()
      path = await begin(running, bytes.length)
      await send(running, path, 0, bytes.subarray(0, cut))
    }
    await drill.saveDatabase()
    {
      await using running = await drill.start()
      await send(running, path, cut, bytes.subarray(cut, cut + 4 * MIB))
      await send(running, path, cut + 4 * MIB, bytes.subarray(cut + 4 * MIB, cut + 9 * MIB))
    }
    await drill.restoreDatabase()
    // Its packs since the backup contain acknowledged bytes.
    await expect(drill.start()).rejects.toSatisfy(needsRecovery)
    // Two, with bytes that are sent again. They have no root and are kept.
    const summary = await recover({ takeOver: false, owner: drill.address })
    expect(summary).toMatchObject({ takenIn: 2, unreadable: 0, listed: 0, incomplete: 0, unlisted: 2 })
    await using running = await drill.start()
    expect(await inspect(running, path)).toMatchObject({ state: 'receiving', offsetBytes: cut })
    await send(running, path, cut, bytes.subarray(cut))
    const { result } = await inspect(running, path)
    const read = await running.read(result?.[0]?.Hash ?? '')
    expect(Buffer.compare(read.bytes, bytes)).toBe(0)
    expect(await removePacks(running, 400)).toBe(0)
    await running[Symbol.asyncDispose]()
    await expectClean()
    // The upload resent bytes that they contained.
    await discard('all')
    await using again = await drill.start()
    expect(await removePacks(again, 400)).toBe(0)
    expect(Buffer.compare((await again.read(result?.[0]?.Hash ?? '')).bytes, bytes)).toBe(0)
    await again[Symbol.asyncDispose]()
    await expectClean()
  })

  test('lists packs that no account gets, and frees them when the operator discards them', async () => {
    const bytes = randomBytes(3 * resumableSegmentBytes)
    let path: string
    {
      await using running = await drill.start()
      key = await running.signIn()
      path = await begin(running, bytes.length)
    }
    await drill.saveDatabase()
    {
      await using running = await drill.start()
      await send(running, path, 0, bytes.subarray(0, resumableSegmentBytes + MIB))
      await send(running, path, resumableSegmentBytes + MIB, bytes.subarray(resumableSegmentBytes + MIB, -1))
    }
    await drill.restoreDatabase()
    const packs = await drill.listPacks()
    expect(await recover({ takeOver: false, owner: drill.address })).toMatchObject({ unlisted: packs.length })
    expect(packs.length).toBeGreaterThan(1)
    const [first = ''] = packs
    await expect(discard('all', 'packs/unknown')).rejects.toSatisfy((error) => CairnError.is(error, 'INVALID_REQUEST'))
    expect(await discard()).toMatchObject({ unlisted: packs.length, discarded: 0 })
    expect(await discard(`packs/${first}`)).toMatchObject({ unlisted: packs.length - 1, discarded: 1 })
    {
      await using running = await drill.start()
      // Nothing is removed before the grace period of deletions.
      expect(await removePacks(running, 0)).toBe(0)
      expect(await removePacks(running, 400)).toBe(1)
    }
    expect(await drill.listPacks()).toEqual(packs.slice(1))
    expect(await discard('all')).toMatchObject({ unlisted: 0, discarded: packs.length - 1 })
    await using running = await drill.start()
    expect(await removePacks(running, 400)).toBe(packs.length - 1)
    expect(await drill.listPacks()).toEqual([])
    await running[Symbol.asyncDispose]()
    await expectClean()
  })

  test('without its database, restores content from the packs of a stored upload, and frees it with them', async () => {
    const bytes = randomBytes(2 * resumableSegmentBytes + 5)
    {
      await using running = await drill.start()
      key = await running.signIn()
      const path = await begin(running, bytes.length)
      await send(running, path, 0, bytes.subarray(0, 100_000))
      await send(running, path, 100_000, bytes.subarray(100_000))
    }
    const packs = await drill.listPacks()
    await drill.loseDatabase()
    await expect(drill.start()).rejects.toSatisfy(needsRecovery)
    expect(await recover({ takeOver: true, owner: drill.address })).toMatchObject({
      takenIn: packs.length,
      listed: 1,
      incomplete: 0,
      unlisted: 0,
    })
    await using running = await drill.start()
    key = await running.signIn()
    const [file] = await running.list(key)
    expect(file?.sizeBytes).toBe(bytes.length)
    expect(Buffer.compare((await running.read(file?.cid ?? '')).bytes, bytes)).toBe(0)
    expect(await removePacks(running, 400)).toBe(0)
    const rows = await running.context.db.read.selectFrom('upload').select('id').execute()
    await ask(running, `/api/user/delete_file?id=${rows[0]?.id}`, { method: 'DELETE' })
    expect(await removePacks(running, 400)).toBe(packs.length)
    expect(await drill.listPacks()).toEqual([])
  })
})
