import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createPictureCache } from './picture-cache.ts'

const kib = 1024
const picture = (byte: number, sizeBytes = 3 * kib) => ({
  contentType: 'image/webp',
  bytes: new Uint8Array(sizeBytes).fill(byte),
})

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-picture-cache-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'cache', 'pictures')
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

test('keeps pictures within its space, and evicts the least recently used', async () => {
  const folder = await makeFolder()
  // Each file takes one block of 4 KiB.
  const cache = createPictureCache({ folder, maxBytes: 16 * kib })
  for (const [at, key] of ['a', 'b', 'c', 'd'].entries()) await cache.set(key, picture(at))
  expect(await cache.get('a')).toEqual(picture(0))
  await cache.set('e', picture(4))
  expect(await cache.get('b')).toBeUndefined()
  for (const key of ['a', 'c', 'd', 'e']) expect(await cache.get(key), key).toBeDefined()
  expect(await listFiles(folder)).toHaveLength(4)
  // A picture that would take more than a quarter is not kept.
  await cache.set('large', picture(9, 5 * kib))
  expect(await cache.get('large')).toBeUndefined()
  expect(await listFiles(folder)).toHaveLength(4)
})

test('only the owner can read the files', async () => {
  const folder = await makeFolder()
  await createPictureCache({ folder, maxBytes: 64 * kib }).set('a', picture(1))
  const [file = ''] = await listFiles(folder)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
})

test('survives a restart, with its space and its order, and removes files that were not finished', async () => {
  const folder = await makeFolder()
  const before = createPictureCache({ folder, maxBytes: 16 * kib })
  for (const [at, key] of ['a', 'b', 'c', 'd'].entries()) await before.set(key, picture(at))
  const [file = ''] = await listFiles(folder)
  await writeFile(`${file}.1.new`, 'half')
  // As coarse as the clock of a file system can be: nothing on disk shows that "d" was used last.
  const later = new Date(Date.now() + 60_000)
  for (const path of await listFiles(folder)) if (!path.endsWith('.new')) await utimes(path, later, later)
  const after = createPictureCache({ folder, maxBytes: 16 * kib })
  expect(await after.get('d')).toEqual(picture(3))
  await after.set('e', picture(4))
  expect(await after.get('d')).toBeDefined()
  expect(await listFiles(folder)).toHaveLength(4)
})

test('files can be deleted by hand, all or one', async () => {
  const folder = await makeFolder()
  const cache = createPictureCache({ folder, maxBytes: 64 * kib })
  await cache.set('a', picture(1))
  await cache.set('b', picture(2))
  await rm(folder, { recursive: true })
  expect(await cache.get('a')).toBeUndefined()
  await cache.set('a', picture(1))
  expect(await cache.get('a')).toEqual(picture(1))
})

test.each([
  ['truncated', (bytes: Buffer) => bytes.subarray(0, bytes.length - 1)],
  ['changed', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Buffer.from('x')])],
  ['empty', () => Buffer.alloc(0)],
  ['another', () => Buffer.from('<!doctype html>\n')],
])('does not treat a %s file as a picture', async (_name, damage) => {
  const folder = await makeFolder()
  const cache = createPictureCache({ folder, maxBytes: 64 * kib })
  await cache.set('a', picture(1))
  const [file = ''] = await listFiles(folder)
  await writeFile(file, damage(await readFile(file)))
  expect(await cache.get('a')).toBeUndefined()
  await cache.set('a', picture(1))
  expect(await cache.get('a')).toEqual(picture(1))
})

test('keeps nothing in a space of 0', async () => {
  const folder = await makeFolder()
  const cache = createPictureCache({ folder, maxBytes: 0 })
  await cache.set('a', picture(1))
  expect(await cache.get('a')).toBeUndefined()
  await expect(stat(folder)).rejects.toThrow('ENOENT')
})
