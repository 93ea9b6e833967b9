import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { openFileStore } from './files.ts'
import { openLinkedMarks } from './linked-marks.ts'

async function openPlace() {
  const root = await mkdtemp(join(tmpdir(), 'cairn-marks-'))
  const folder = join(root, 'marks')
  const shared = join(root, 'shared')
  await mkdir(folder)
  return {
    folder,
    shared,
    marks: openLinkedMarks(folder, shared),
    factsOf: (name: string) => stat(join(folder, name)),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

afterEach(() => {
  vi.restoreAllMocks()
})

test('empty marks are names of one file, which stays when they are removed', async () => {
  await using place = await openPlace()
  for (const name of ['a', 'b', 'c']) await place.marks.put(name, '')
  const { ino, nlink } = await stat(place.shared)
  expect(nlink).toBe(4)
  expect((await place.factsOf('b')).ino).toBe(ino)
  for (const name of ['a', 'b', 'c', 'c']) await place.marks.remove(name)
  expect(await place.marks.list()).toEqual([])
  expect((await stat(place.shared)).nlink).toBe(1)
})

test('writes a mark with a text, an existing one, and one whose shared file is gone as files', async () => {
  await using place = await openPlace()
  await place.marks.put('heartbeat', 'text')
  expect((await place.factsOf('heartbeat')).size).toBe(4)
  await place.marks.put('a', '')
  const past = new Date('2020-01-01')
  await utimes(join(place.folder, 'a'), past, past)
  await place.marks.put('a', '')
  expect((await place.factsOf('a')).mtimeMs).toBeGreaterThan(past.getTime())
  await rm(place.shared)
  await place.marks.put('b', '')
  await place.marks.put('c', '')
  expect((await place.marks.list()).map(({ name }) => name).sort()).toEqual(['a', 'b', 'c', 'heartbeat'])
  expect((await place.factsOf('c')).ino).toBe((await stat(place.shared)).ino)
  await rm(place.folder, { recursive: true })
  await expect(place.marks.put('d', '')).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a mark never looks more than a minute older than it is', async () => {
  await using place = await openPlace()
  await place.marks.put('a', '')
  const past = new Date('2020-01-01')
  await utimes(place.shared, past, past)
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now + 61_000)
  await place.marks.put('b', '')
  expect((await place.factsOf('b')).mtimeMs).toBeGreaterThan(past.getTime())
  await utimes(place.shared, past, past)
  // The clock was set back.
  vi.spyOn(Date, 'now').mockReturnValue(now - 86_400_000)
  await place.marks.put('c', '')
  expect((await place.factsOf('c')).mtimeMs).toBeGreaterThan(past.getTime())
})

test('the file behind the notes of a store is removed when it closes, or by others when its process is gone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-marks-'))
  const write = async (replica: string) => {
    const store = await openFileStore(folder, { replica, isAlone: true })
    const writer = await store.create(`packs/1/${replica}.car`)
    await writer.append([Buffer.from(replica)])
    await writer.finish()
    await store.confirm(`packs/1/${replica}.car`)
    return store
  }
  const left = () => readdir(join(folder, 'note-files'))
  const killed = await write('killed')
  const next = await write('next')
  expect(await left()).toHaveLength(2)
  await next.sweep()
  expect(await left()).toEqual(['next_note'])
  await next.close()
  expect(await left()).toEqual([])
  await killed.close()
  await rm(folder, { recursive: true, force: true })
})
