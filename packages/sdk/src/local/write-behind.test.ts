import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWriteBehind } from './write-behind.ts'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-behind-'))
  path = join(folder, 'file')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('writes pieces of any size to their place, although the caller changes them afterwards', async () => {
  const content = randomBytes(3_000_000)
  await using file = await open(path, 'w')
  const behind = createWriteBehind(file)
  let position = 0
  for (const size of [1, 262_143, 0, 262_144, 5, 1_500_000, 262_145, 713_562]) {
    const piece = Uint8Array.from(content.subarray(position, position + size))
    await behind.write(piece, position)
    piece.fill(0)
    position += size
  }
  expect(position).toBe(content.length)
  await behind.flush()
  expect(readFileSync(path).equals(content)).toBe(true)
})

test('writes bytes that do not follow the previous ones to their own place', async () => {
  await using file = await open(path, 'w')
  const behind = createWriteBehind(file)
  await behind.write(Buffer.from('....end'), 3)
  await behind.write(Buffer.from('one'), 0)
  await behind.write(Buffer.from('two'), 3)
  await behind.flush()
  expect(readFileSync(path, 'utf8')).toBe('onetwo.end')
})

test('a later call reports the error of a write, which stays', async () => {
  writeFileSync(path, '')
  await using file = await open(path, 'r')
  const behind = createWriteBehind(file)
  await behind.write(randomBytes(262_144), 0)
  await expect(behind.write(randomBytes(262_144), 262_144)).rejects.toMatchObject({ code: 'EBADF' })
  await expect(behind.flush()).rejects.toMatchObject({ code: 'EBADF' })
  await expect(behind.flush()).rejects.toMatchObject({ code: 'EBADF' })
})
