import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSecret, secretFileName } from './open-secret.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'cairn-secret-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const open = () => openSecret({ home, secret: undefined })

test('creates the secret once, complete, readable only by its owner, and the same for concurrent starts', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, open))
  const [first] = all
  expect(first).toHaveLength(32)
  for (const secret of all) expect(secret).toEqual(first)
  expect(await open()).toEqual(first)
  expect(await readdir(home)).toEqual([secretFileName])
  expect((await stat(join(home, secretFileName))).mode & 0o777).toBe(0o600)
})

test('uses a configured secret, and creates none', async () => {
  const secret = new Uint8Array(32).fill(7)
  expect(await openSecret({ home, secret })).toBe(secret)
  expect(await readdir(home)).toEqual([])
})

test('rejects an invalid file, or one that others can read, without quoting its content', async () => {
  const path = join(home, secretFileName)
  await writeFile(path, 'hunter2\n', { mode: 0o600 })
  await expect(open()).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.not.stringContaining('hunter2'),
  })
  await writeFile(path, `${'ab'.repeat(32)}\n`)
  await chmod(path, 0o644)
  await expect(open()).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    hint: expect.stringContaining('chmod 600'),
  })
  await chmod(path, 0o600)
  expect(Buffer.from(await open()).toString('hex')).toBe((await readFile(path, 'utf8')).trim())
})

test('reports a folder at the path of the secret', async () => {
  const path = join(home, secretFileName)
  await mkdir(path)
  await expect(open()).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION', message: `${path} is a folder` })
})
