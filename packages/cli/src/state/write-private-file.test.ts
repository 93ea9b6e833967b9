import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CairnError } from '@cairn/sdk'
import { afterAll, expect, test } from 'vitest'
import { writePrivateFile } from './write-private-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-private-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('writes a new file only for its owner, and never over another', async () => {
  const path = join(folder, 'old.json')
  await writePrivateFile(path, 'first')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  await expect(writePrivateFile(path, 'second')).rejects.toMatchObject({ code: 'FILE_EXISTS' })
  expect(readFileSync(path, 'utf8')).toBe('first')
})

test('reports the path that cannot be written', async () => {
  const path = join(folder, 'missing', 'old.json')
  await expect(writePrivateFile(path, 'x')).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    message: `Cannot write ${path}`,
  })
})

test('leaves nothing of a source that breaks off, and throws its error', async () => {
  const path = join(folder, 'broken.json')
  async function* broken() {
    yield new Uint8Array([1, 2, 3])
    throw new CairnError('NETWORK_ERROR')
  }
  await expect(writePrivateFile(path, broken())).rejects.toMatchObject({ code: 'NETWORK_ERROR' })
  expect(existsSync(path)).toBe(false)
})

test('says why a path cannot be written', async () => {
  await expect(writePrivateFile('/dev/null/old.json', 'x')).rejects.toMatchObject({
    hint: 'A part of the path is not a folder: /dev/null/old.json (ENOTDIR). Check the path.',
  })
})
