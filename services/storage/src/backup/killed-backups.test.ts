// Backups and restores that are killed or interrupted leave nothing half-done, and continue.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { interrupted } from '@cairn/service/admin'
import { openFileStore } from '@cairn/service/objects'
import { expect, test } from 'vitest'
import { runCommand } from '../admin/run-command.ts'
import {
  administer,
  drillTimeoutMs,
  expectRestored,
  fill,
  findWrong,
  killDuring,
  listFiles,
  prepareBackupWorlds,
  readAllRows,
  readCounts,
  restore,
  startMachine,
  upload,
} from './backup.fixture.ts'

const currentWorld = prepareBackupWorlds()

test(
  'a killed backup to a folder is not a backup, and the next one uses what it copied',
  async () => {
    const world = currentWorld()
    const { source, place, stored } = await fill(world, 'postgres and s3', 8)
    await killDuring(world, source, 'GET', 'backup', place)
    expect((await administer(source, 'backup', 'list', place)).lines).toEqual([])
    const target = await world.createMachine('none', 'sqlite and files')
    expect(JSON.parse((await restore(world, target, place)).complained).code).toBe('NOT_FOUND')
    const next = await administer(source, 'backup', place, '--json')
    expect([next.code, next.complained]).toEqual([0, ''])
    // No file of the killed one is left.
    const files = await listFiles(place)
    expect(files.filter((path) => path.startsWith('objects/backups/'))).toHaveLength(4)
    expect(files.filter((path) => /^(tmp|unconfirmed|replicas)\//.test(path))).toEqual([])
    await expectRestored(world, place, stored)
  },
  drillTimeoutMs,
)

test(
  'uses a copy that a killed backup completed but did not confirm, and leaves no note of it',
  async () => {
    const world = currentWorld()
    const { source, place, user, stored, packs } = await fill(world, 'sqlite and files', 1)
    expect(await administer(source, 'backup', place)).toMatchObject({ code: 0 })
    {
      await using storage = await startMachine(source)
      stored.push(...(await upload(storage, user.key, { more: randomBytes(1000) })))
    }
    const pack = (await listFiles(join(source.home, 'packs', 'objects'))).find(
      (key) => key.endsWith('.car') && !packs.includes(key),
    )
    if (pack === undefined) throw new Error('the second upload has no pack')
    const killed = await openFileStore(place, { replica: 'killed' })
    const writer = await killed.create(pack)
    await writer.append([await readFile(join(source.home, 'packs', 'objects', pack))])
    await writer.finish()
    // Closing leaves the note and the heartbeat, as a kill does.
    await killed.close()
    const next = await administer(source, 'backup', place, '--json')
    expect([next.code, next.complained]).toEqual([0, ''])
    expect(readCounts(next)).toMatchObject({ count: 2, copied: 0 })
    const files = await listFiles(place)
    expect(files.filter((path) => /^(tmp|unconfirmed|replicas)\//.test(path))).toEqual([])
    await expectRestored(world, place, stored)
  },
  drillTimeoutMs,
)

test(
  'a killed backup to S3 continues three minutes later',
  async () => {
    const world = currentWorld()
    const { source, stored } = await fill(world, 'sqlite and files', 8)
    const place = world.placeOf('backups', 's3')
    await killDuring(world, source, 'PUT', 'backup', place)
    const refused = await administer(source, 'backup', place, '--json')
    expect([refused.code, JSON.parse(refused.complained).code]).toEqual([78, 'CONFLICT'])
    world.s3.server.age('backups/replicas/', 200)
    const next = await administer(source, 'backup', place, '--json')
    expect([next.code, next.complained]).toEqual([0, ''])
    expect(next.json[0]).toMatchObject({ objects: { count: 8 } })
    await expectRestored(world, place, stored)
  },
  drillTimeoutMs,
)

test.each(['sqlite and files', 'postgres and files', 'postgres and s3'] as const)(
  'a killed restore to %s starts no service, and the same command completes it',
  async (kind) => {
    const world = currentWorld()
    const { source, stored } = await fill(world, 'sqlite and files', 8)
    const place = world.placeOf('backups', 's3')
    expect(await administer(source, 'backup', place)).toMatchObject({ code: 0 })
    const target = await world.createMachine('target', kind)
    await killDuring(world, target, 'GET', 'restore', place, '--identity', world.identity)
    // A restore to a place with other packs does not mix them.
    const resumed = await restore(world, target, place)
    expect([resumed.code, resumed.complained]).toEqual([0, ''])
    expect(resumed.json.at(-1)).toMatchObject({ kind: 'restored', lost: 0 })
    expect(await readAllRows(target)).toEqual(await readAllRows(source))
    await using storage = await startMachine(target)
    expect(await findWrong(storage, stored)).toEqual([])
  },
  drillTimeoutMs,
)

test('an interrupted backup leaves none of its files, and no hold', async () => {
  const world = currentWorld()
  const { source, place } = await fill(world, 'sqlite and files')
  const abort = new AbortController()
  const complaints: string[] = []
  const code = await runCommand(['backup', place], {
    environment: source.environment,
    write: () => undefined,
    complain: (line) => complaints.push(line),
    signal: abort.signal,
    showProgress: (text) => {
      if (text.includes('objects')) abort.abort(interrupted())
    },
  })
  expect([code, complaints]).toEqual([1, [expect.stringContaining('Interrupted')]])
  const files = await listFiles(place)
  expect(files.filter((path) => path.startsWith('objects/backups/'))).toEqual([])
  expect(files.filter((path) => /^(tmp|unconfirmed|replicas)\//.test(path))).toEqual([])
  await using storage = await startMachine(source)
  expect(
    await storage.context.db.read.selectFrom('lease').select('name').where('name', 'like', 'backup:%').execute(),
  ).toEqual([])
})
