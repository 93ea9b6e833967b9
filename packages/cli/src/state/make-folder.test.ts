import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolder } from './make-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-folder-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('creates a folder and its parents only for their owner, and accepts existing ones', async () => {
  const path = join(folder, 'a', 'b')
  await makeFolder(path)
  await makeFolder(path)
  expect([statSync(join(folder, 'a')).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o700])
})

test('fails at a file, and where no folder can be created', async () => {
  writeFileSync(join(folder, 'file'), '')
  await expect(makeFolder(join(folder, 'file', 'b'))).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(makeFolder('/proc/a/b')).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/a' })
})
