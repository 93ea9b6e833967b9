import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPlace } from './place.ts'

const s3 = { endpoint: undefined, region: 'us-east-1', isPathStyle: false, credentials: undefined }
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-place-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('readers reject a folder without backups, and leave it unchanged', async () => {
  await writeFile(join(folder, 'notes.txt'), '')
  const notFound = (message: string) => ({ code: 'NOT_FOUND', message: expect.stringContaining(message) })
  await expect(openPlace(folder, { s3 }, 'read')).rejects.toMatchObject(notFound('contains no backups'))
  await expect(openPlace(join(folder, 'gone'), { s3 }, 'read')).rejects.toMatchObject(notFound('does not exist'))
  expect(await readdir(folder)).toEqual(['notes.txt'])
  await (await openPlace(join(folder, 'backups'), { s3 }, 'write'))[Symbol.asyncDispose]()
  await (await openPlace(join(folder, 'backups'), { s3 }, 'read'))[Symbol.asyncDispose]()
})
