// The steps of docs/operate/recover.md; compares every byte and the listing afterwards.
import { createHash } from 'node:crypto'
import { CairnError } from '@cairn/protocol'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { CID } from 'multiformats/cid'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deleteFiles } from '../files/files.ts'
import { removeUnreferencedPacks } from '../packs/removal/remove-packs.ts'
import { type Drill, openDrill, type Running, type Stored } from './drill.fixture.ts'
import { checkStore, type Report, recoverStore } from './maintain.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres?.stop())

const year = 400 * 86_400_000
/** Incompressible bytes that are the same for the same seed. */
function bytesOf(length: number, seed: string): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < length; at += 32) pieces.push(createHash('sha256').update(`${seed} ${at}`).digest())
  return Buffer.concat(pieces).subarray(0, length)
}
const needsRecovery = (error: unknown) => CairnError.is(error, 'RECOVERY_NEEDED')
const quiet: Report = () => undefined

describe.each(databaseKinds)('a restore on %s', (kind) => {
  let drill: Drill
  /** Files stored before and after the backup. */
  let before: Stored[]
  let after: Stored[]

  beforeEach(async () => {
    drill = await openDrill(kind === 'postgres' ? postgres : undefined)
    const shared = bytesOf(600_000, 'shared')
    {
      await using running = await drill.start()
      const key = await running.signIn()
      before = [
        await running.upload(key, 'small.txt', bytesOf(20, 'small')),
        await running.upload(key, 'large.bin', Buffer.concat([shared, bytesOf(2_000_000, 'large')])),
        ...(await running.uploadFolder(key, { 'a.txt': bytesOf(300, 'a'), 'b.bin': bytesOf(70_000, 'b') })),
      ]
    }
    await drill.saveDatabase()
    await drill.savePacks()
    await using running = await drill.start()
    const key = await running.signIn()
    after = [
      await running.upload(key, 'later.txt', bytesOf(30, 'later')),
      // Its first blocks lie in an earlier pack.
      await running.upload(key, 'later.bin', Buffer.concat([shared, bytesOf(900_000, 'more')])),
      ...(await running.uploadFolder(key, { 'c.txt': bytesOf(400, 'c'), 'd.bin': bytesOf(80_000, 'd') })),
    ]
  })
  afterEach(() => drill[Symbol.asyncDispose]())

  const expectAll = async (running: Running, stored: readonly Stored[]) => {
    for (const { path, bytes } of stored) {
      const read = await running.read(path)
      expect([path, read.status, Buffer.compare(read.bytes, bytes)]).toEqual([path, 200, 0])
    }
  }
  const expectClean = async () => {
    const output: string[] = []
    await checkStore(drill.config(), { readData: 1 }, (_json, text) => output.push(text))
    expect(output).toEqual(['The database matches the packs.'])
  }
  /** Removal rounds a year later remove no imported pack. */
  const passYear = async ({ context }: Running) => {
    const clock = { now: () => Date.now() + year, sleep: async () => undefined }
    expect(await removeUnreferencedPacks({ ...context, clock })).toBe(0)
  }
  const cidsOf = (stored: readonly Stored[]) => [...new Set(stored.map(({ cid }) => cid))].toSorted()
  const recover = async (options: Partial<Parameters<typeof recoverStore>[1]> = {}) => {
    const reported: object[] = []
    const outcome = await recoverStore(drill.config(), { takeOver: false, owner: undefined, ...options }, (json) =>
      reported.push(json),
    )
    return { ...outcome, summary: reported.at(-1) }
  }

  test('an older database beside all packs: rejected, nothing removed, everything back after one command', async () => {
    await drill.restoreDatabase()
    const packs = await drill.listPacks()
    for (let start = 0; start < 3; start++) await expect(drill.start()).rejects.toSatisfy(needsRecovery)
    await expect(drill.start()).rejects.toMatchObject({
      message: expect.stringContaining('3 packs that the database does not list'),
      hint: expect.stringMatching(/npm run storage:recover.*docs\/operate\/recover\.md/),
    })
    expect(await drill.listPacks()).toEqual(packs)

    expect(await recover({ owner: drill.address })).toMatchObject({
      isWell: true,
      summary: { takenIn: 3, unreadable: 0, listed: 3, incomplete: 0, unlisted: 0 },
    })
    await using running = await drill.start()
    await expectAll(running, [...before, ...after])
    const listed = await running.list(await running.signIn())
    expect(listed.map(({ cid }) => cid).toSorted()).toEqual(cidsOf([...before, ...after]))
    // Content in the backup has its names; imported content has its CID as a name, and its size.
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(['small.txt', 'large.bin']))
    expect(listed.find(({ cid }) => cid === after[1]?.cid)).toEqual({
      cid: after[1]?.cid,
      name: after[1]?.cid,
      sizeBytes: 1_500_000,
    })
    await passYear(running)
    await expectAll(running, [...before, ...after])
    await running[Symbol.asyncDispose]()
    expect(await drill.listPacks()).toEqual(packs)
    await expectClean()
  })

  test('content that is not listed yet stays complete when an upload that shares its blocks is deleted', async () => {
    await drill.restoreDatabase()
    expect(await recover()).toMatchObject({ summary: { takenIn: 3, listed: 0, unlisted: 3 } })
    {
      await using running = await drill.start()
      const shared = before[1]?.cid
      await deleteFiles(running.context, drill.address, { cid: CID.parse(shared ?? '') })
      await passYear(running)
      await expectAll(running, after)
    }
    expect(await recover({ owner: drill.address })).toMatchObject({
      isWell: true,
      summary: { takenIn: 0, listed: 3, incomplete: 0, unlisted: 0 },
    })
    await using running = await drill.start()
    await expectAll(running, after)
    expect(await running.context.db.read.selectFrom('held_pack').selectAll().execute()).toEqual([])
  })

  test('no database beside all packs: rejected until the folder is taken over, then readable, and listed on request', async () => {
    await drill.loseDatabase()
    const packs = await drill.listPacks()
    await expect(drill.start()).rejects.toMatchObject({
      code: 'RECOVERY_NEEDED',
      message: expect.stringContaining('belongs to database'),
      hint: expect.stringContaining('npm run storage:recover -- --take-over'),
    })
    await expect(recover()).rejects.toSatisfy(needsRecovery)
    expect(await drill.listPacks()).toEqual(packs)

    expect(await recover({ takeOver: true })).toMatchObject({
      isWell: true,
      summary: { takenIn: packs.length, unlisted: packs.length },
    })
    {
      await using running = await drill.start()
      await expectAll(running, [...before, ...after])
      const key = await running.signIn()
      expect(await running.list(key)).toEqual([])
      // An owner who uploads a file again sees it listed, and nothing is stored twice.
      await running.upload(key, 'later.txt', after[0]?.bytes ?? Buffer.of())
      expect(await running.list(key)).toMatchObject([{ cid: after[0]?.cid, name: 'later.txt', sizeBytes: 30 }])
      await passYear(running)
      await expectAll(running, [...before, ...after])
    }
    expect(await drill.listPacks()).toEqual(packs)
    expect(await recover({ owner: drill.address })).toMatchObject({
      isWell: true,
      summary: { takenIn: 0, unlisted: 0 },
    })
    await using running = await drill.start()
    const listed = await running.list(await running.signIn())
    expect(listed.map(({ cid }) => cid).toSorted()).toEqual(cidsOf([...before, ...after]))
    await passYear(running)
    await expectAll(running, [...before, ...after])
    await running[Symbol.asyncDispose]()
    await expectClean()
  })

  test('a newer database beside older packs: reports the missing packs, serves the rest, removes no row', async () => {
    await drill.swapPacks()
    const missing = cidsOf(after)
    {
      await using running = await drill.start()
      expect(running.errors.filter((line) => line.includes('pack is missing'))).toHaveLength(3)
      await expectAll(running, before)
      const key = await running.signIn()
      const listed = await running.list(key)
      expect(listed.map(({ cid }) => cid).toSorted()).toEqual(cidsOf([...before, ...after]))
      for (const { path } of after) {
        const { status, code } = await running.read(path)
        expect([path, status, code]).toEqual([path, 500, 'DATA_DAMAGED'])
      }
      await passYear(running)
      // Content that is uploaded again is stored again, although its row says that it exists.
      await running.upload(key, 'again.txt', after[0]?.bytes ?? Buffer.of())
      await expectAll(running, after.slice(0, 1))
    }
    const findings: string[] = []
    await checkStore(drill.config(), { readData: 0 }, (_json, text) => findings.push(text))
    expect(findings.filter((line) => line.startsWith('missing pack'))).toHaveLength(3)
    expect(missing).toHaveLength(3)

    // The packs are found and added to those stored since.
    await drill.mergePacks()
    {
      await using running = await drill.start()
      expect(running.errors).toEqual([])
      await expectAll(running, [...before, ...after])
    }
    await expectClean()
  })

  test('rejects an empty pack folder beside a database with packs: its disk may not be mounted', async () => {
    await drill.losePacks()
    await expect(drill.start()).rejects.toMatchObject({
      code: 'RECOVERY_NEEDED',
      message: expect.stringContaining('the pack folder is empty'),
    })
  })

  test('the same command finishes an interrupted take-over, and either database is rejected until then', async () => {
    const first = drill.config()
    await drill.loseDatabase()
    await recoverStore(drill.config(), { takeOver: true, owner: undefined }, quiet)
    await drill.addOwner('0198c0de-0000-7000-8000-000000000000')
    await expect(drill.start()).rejects.toSatisfy(needsRecovery)
    if (kind === 'postgres') await expect(drill.startWith(first)).rejects.toSatisfy(needsRecovery)
    await recoverStore(drill.config(), { takeOver: true, owner: undefined }, quiet)
    await using running = await drill.start()
    await expectAll(running, [...before, ...after])
  })
})
