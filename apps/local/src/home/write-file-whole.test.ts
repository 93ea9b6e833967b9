import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeFileWhole } from './write-file-whole.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-whole-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('replaces a file, readable by its owner only', async () => {
  const path = join(folder, 'state')
  await writeFileWhole(path, 'one')
  await writeFileWhole(path, 'two')
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['two', 0o600])
  expect(readdirSync(folder)).toEqual(['state'])
})

test('a failed write leaves no part of the content', async () => {
  mkdirSync(join(folder, 'state'))
  await expect(writeFileWhole(join(folder, 'state'), 'one')).rejects.toMatchObject({ syscall: 'rename' })
  expect(readdirSync(folder)).toEqual(['state'])
})
