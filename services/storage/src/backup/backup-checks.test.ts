// What backups find, reject, keep and remove.

import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { openStore } from '../maintenance/open-store.ts'
import { doomObjects, removeAllDoomed } from '../objects/doomed-objects.ts'
import { removeUnreferencedPacks } from '../packs/removal/remove-packs.ts'
import { bearer } from '../start-test-storage.fixture.ts'
import { holdRemovals } from '../workers/removal-hold.ts'
import { systemClock } from '../workers/worker.ts'
import {
  administer,
  drillTimeoutMs,
  expectRestored,
  fill,
  findWrong,
  listFiles,
  prepareBackupWorlds,
  restore,
  startMachine,
} from './backup.fixture.ts'

const currentWorld = prepareBackupWorlds()

test(
  'verify finds one changed bit anywhere; restore rejects it, or restores the rest on request',
  async () => {
    const world = currentWorld()
    const { source, place, stored, packs } = await fill(world, 'sqlite and files')
    expect(await administer(source, 'backup', place)).toMatchObject({ code: 0 })
    const id = (await administer(source, 'backup', 'list', place, '--json')).json[0]?.['id']
    const flip = async (key: string) => {
      const path = join(place, 'objects', key)
      const bytes = await readFile(path)
      const middle = Math.floor(bytes.length / 2)
      bytes[middle] = (bytes[middle] ?? 0) ^ 1
      await writeFile(path, bytes)
    }
    for (const [at, key] of [packs[1] ?? '', `backups/${id}/database.age`, `backups/${id}/secrets.age`].entries()) {
      await flip(key)
      const found = await administer(source, 'backup', 'verify', place, '--json')
      expect(found).toMatchObject({
        code: 1,
        json: [
          { kind: 'damaged', object: key },
          { kind: 'summary', findings: 1 },
        ],
      })
      const target = await world.createMachine(`damaged-${at}`, 'sqlite and files')
      const refused = await restore(world, target, place)
      expect([refused.code, JSON.parse(refused.complained).code]).toEqual([1, 'BACKUP_DAMAGED'])
      await flip(key)
    }
    await flip(packs[1] ?? '')
    const target = await world.createMachine('rest', 'sqlite and files')
    expect(await restore(world, target, place, '--allow-damage')).toMatchObject({
      code: 1,
      json: [
        { kind: 'lost', object: packs[1], reason: 'damaged' },
        { kind: 'restored', lost: 1 },
      ],
    })
    await using storage = await startMachine(target)
    expect(await findWrong(storage, stored)).toEqual([`${stored[1]?.path} 500`])
  },
  drillTimeoutMs,
)

test('a pack that is missing or damaged in the store is reported, and the rest is backed up', async () => {
  const world = currentWorld()
  const { source, place, stored, packs } = await fill(world, 'sqlite and files')
  const pathOf = (key: string | undefined) => join(source.home, 'packs', 'objects', key ?? '')
  await rm(pathOf(packs[0]))
  const bytes = await readFile(pathOf(packs[1]))
  bytes[1000] = (bytes[1000] ?? 0) ^ 1
  await writeFile(pathOf(packs[1]), bytes)
  const backup = await administer(source, 'backup', place, '--json')
  expect(backup).toMatchObject({ code: 1, json: [{ objects: { count: 2, missing: 1, damaged: 1 } }, {}, {}] })
  // The disk can be read again: the copy cannot stay unnoticed.
  bytes[1000] = (bytes[1000] ?? 0) ^ 1
  await writeFile(pathOf(packs[1]), bytes)
  const again = await administer(source, 'backup', place, '--json')
  expect(again).toMatchObject({ code: 1, json: [{ kind: 'stale', object: packs[1] }, {}, {}, { kind: 'damaged' }] })
  const target = await world.createMachine('target', 'sqlite and files')
  expect(await restore(world, target, place)).toMatchObject({
    code: 1,
    json: [{ kind: 'lost', reason: 'missing' }, { lost: 1 }],
  })
  await using storage = await startMachine(target)
  expect(await findWrong(storage, stored)).toEqual([`${stored[0]?.path} 500`, `${stored[1]?.path} 500`])
})

test(
  'rejects a wrong key, another instance, a newer backup and a home in use, and writes nothing',
  async () => {
    const world = currentWorld()
    const { source, place } = await fill(world, 'sqlite and files', 1)
    const reportedCode = ({ complained }: { complained: string }) => JSON.parse(complained).code
    const { CAIRN_BACKUP_RECIPIENTS: recipients, ...unset } = source.environment
    expect(reportedCode(await administer({ ...source, environment: unset }, 'backup', place, '--json'))).toBe(
      'INVALID_CONFIGURATION',
    )
    const dry = await administer(source, 'backup', place, '--dry-run', '--json')
    expect(dry).toMatchObject({ code: 0, json: [{ kind: 'plan', objects: 1, copied: 1 }] })
    await expect(stat(place)).rejects.toThrow('ENOENT')
    expect(await administer(source, 'backup', place)).toMatchObject({ code: 0 })
    const before = await listFiles(place)

    const other = await world.createMachine('other', 'sqlite and files')
    await (await startMachine(other))[Symbol.asyncDispose]()
    expect(reportedCode(await administer(other, 'backup', place, '--json'))).toBe('BACKUP_OF_ANOTHER')
    expect(reportedCode(await restore(world, other, place))).toBe('INVALID_CONFIGURATION')
    await rm(join(other.home, 'storage.key'))
    expect(reportedCode(await restore(world, other, place))).toBe('CONFLICT')
    const homes = await readdir(other.home)
    expect(homes).not.toContain('storage.key')

    const wrong = join(world.root, 'wrong.txt')
    await administer(source, 'backup', 'key', wrong)
    expect((await stat(wrong)).mode & 0o777).toBe(0o600)
    const again = await administer(source, 'backup', 'key', wrong)
    expect([again.code, again.complained]).toEqual([2, expect.stringContaining(`${wrong} already exists`)])
    expect(again.complained).toContain('Name a file that does not exist yet.')
    const nowhere = await administer(source, 'backup', 'key', join(world.root, 'none', 'a.key'))
    expect(nowhere.complained).toContain('Create its folder first')
    const unread = await restore(world, other, place, '--identity', join(world.root, 'none.key'))
    expect([unread.code, unread.complained]).toEqual([
      2,
      expect.stringContaining('Name the file that `backup key` wrote.'),
    ])
    expect((await administer(source, 'backup', 'key')).complained).toContain('--help for the list of commands.')
    const target = await world.createMachine('target', 'sqlite and files')
    const refused = await administer(target, 'restore', place, '--identity', wrong, '--json')
    expect([refused.code, reportedCode(refused)]).toEqual([78, 'BACKUP_KEY'])
    expect(await restore(world, target, place, '--dry-run')).toMatchObject({
      code: 0,
      json: [{ isDryRun: true, copied: 0 }],
    })
    await expect(stat(target.home)).rejects.toThrow('ENOENT')

    const [manifest = ''] = before.filter((path) => path.endsWith('manifest.json'))
    const text = await readFile(join(place, manifest), 'utf8')
    await writeFile(join(place, manifest), text.replace('"version": 1', '"version": 2'))
    expect(reportedCode(await restore(world, target, place))).toBe('BACKUP_NEWER')
    await writeFile(join(place, manifest), text.replace('"0014_create-s3"', '"9999_of-the-future"'))
    expect(reportedCode(await restore(world, target, place))).toBe('BACKUP_NEWER')
    await writeFile(join(place, manifest), text)
    expect(await listFiles(place)).toEqual(before)
    expect(recipients).toMatch(/^age1/)
    // The manifest names no secret and no file.
    expect(text).not.toMatch(/AGE-SECRET|storageSecret/)
  },
  drillTimeoutMs,
)

test(
  'a restore compares the second secret of a rotation before it writes anything',
  async () => {
    const world = currentWorld()
    const { source, place } = await fill(world, 'sqlite and files', 1)
    const [second, another] = ['ab'.repeat(32), 'cd'.repeat(32)]
    const withSecond = ({ home, environment }: typeof source, secret: string) => ({
      home,
      environment: { ...environment, CAIRN_STORAGE_SECRET_SECONDARY: secret },
    })
    expect(await administer(withSecond(source, second), 'backup', place)).toMatchObject({ code: 0 })
    const target = await world.createMachine('target', 'sqlite and files')
    const expectRefused = async (machine: typeof source) => {
      const { code, complained } = await restore(world, machine, place)
      expect([code, JSON.parse(complained)]).toMatchObject([
        78,
        { code: 'INVALID_CONFIGURATION', message: expect.stringContaining('second secret') },
      ])
    }
    await expectRefused(withSecond(target, another))
    await expect(stat(target.home)).rejects.toThrow('ENOENT')
    // Left by an earlier restore, or another service.
    await mkdir(target.home, { recursive: true })
    const file = join(target.home, 'storage.secondary.key')
    await writeFile(file, `${another}\n`, { mode: 0o600 })
    await expectRefused(target)
    expect(await readdir(target.home)).toEqual(['storage.secondary.key'])
    await rm(file)
    expect(await restore(world, target, place)).toMatchObject({
      code: 0,
      json: [{ secondary: 'storage.secondary.key' }],
    })
    expect((await readFile(file, 'utf8')).trim()).toBe(second)
  },
  drillTimeoutMs,
)

test(
  'prune keeps what the remaining backups list, and removes nothing if a manifest cannot be read',
  async () => {
    const world = currentWorld()
    const { source, place, user, stored, packs } = await fill(world, 'sqlite and files')
    expect(await administer(source, 'backup', place)).toMatchObject({ code: 0 })
    {
      // The second upload is deleted, and its pack is removed from the store.
      await using storage = await startMachine(source)
      const { context } = storage
      const answer = await storage.call(`/api/user/delete_file?cid=${stored[1]?.path}`, {
        method: 'DELETE',
        ...bearer(user.key),
      })
      expect([answer.status, answer.body]).toEqual([200, expect.any(String)])
      const later = { now: () => Date.now() + 400 * 86_400_000, sleep: async () => undefined }
      expect(await removeUnreferencedPacks({ ...context, clock: later })).toBe(1)
    }
    // A file that no backup lists is not removed.
    const foreign = join(place, 'objects', 'packs', 'notes.txt')
    await writeFile(foreign, 'of the operator')
    expect(await administer(source, 'backup', place)).toMatchObject({ code: 0 })
    const prune = (options: string[] = []) => administer(source, 'backup', 'prune', place, '--json', ...options)
    expect((await prune()).code).toBe(2)
    const before = await listFiles(place)
    const [manifest = ''] = before.filter((path) => path.endsWith('manifest.json')).toSorted()
    const text = await readFile(join(place, manifest), 'utf8')
    await writeFile(join(place, manifest), text.slice(1))
    expect((await prune(['--keep', '1'])).code).toBe(1)
    await writeFile(join(place, manifest), text)
    expect(await prune(['--keep', '1', '--dry-run'])).toMatchObject({
      code: 0,
      json: [{ objects: 1, isDryRun: true }],
    })
    expect(await listFiles(place)).toEqual(before)
    expect(await prune(['--keep', '1'])).toMatchObject({ code: 0, json: [{ objects: 1, kept: 1 }] })
    const after = await listFiles(place)
    expect(after).not.toContain(`objects/${packs[1]}`)
    expect(after).toEqual(
      expect.arrayContaining([`objects/${packs[0]}`, `objects/${packs[2]}`, 'objects/packs/notes.txt']),
    )
    expect(after.filter((path) => path.startsWith('objects/backups/'))).toHaveLength(4)
    stored.splice(1, 1)
    await expectRestored(world, place, stored)
  },
  drillTimeoutMs,
)

test.each(['sqlite and files', 'postgres and files'] as const)(
  'removes no pack or doomed object while a backup runs on %s',
  async (kind) => {
    const world = currentWorld()
    const { source, packs } = await fill(world, kind, 1)
    await using store = await openStore(readConfig(source.environment), 'change')
    const { db, objects } = store
    await db.write(async (trx) => {
      await trx.deleteFrom('upload_pack').execute()
      await trx.updateTable('pack').set({ unreferenced_at: 0 }).execute()
    })
    const writer = await objects.create('parts/one')
    await writer.append([Buffer.from('part')])
    await writer.finish()
    await objects.confirm('parts/one')
    await db.write((trx) => doomObjects(trx, ['parts/one'], 0))
    {
      await using _hold = await holdRemovals({ db, clock: systemClock }, 'test')
      expect(await removeUnreferencedPacks({ ...store, clock: systemClock })).toBe(0)
      expect(await removeAllDoomed(store)).toBe(0)
      expect([await objects.size('parts/one'), await objects.size(packs[0] ?? '')]).toEqual([4, expect.any(Number)])
    }
    expect(await removeUnreferencedPacks({ ...store, clock: systemClock })).toBe(1)
    expect(await removeAllDoomed(store)).toBe(1)
    expect([await objects.size('parts/one'), await objects.size(packs[0] ?? '')]).toEqual([undefined, undefined])
  },
)
