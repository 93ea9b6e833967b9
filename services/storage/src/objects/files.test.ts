import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { describeReadError, describeWriteError } from './file-errors.ts'
import { openFileStore } from './files.ts'
import { objectSuite } from './objects.suite.ts'

async function freshFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-objects-'))
  return { folder, open: () => openFileStore(folder), remove: () => rm(folder, { recursive: true, force: true }) }
}

objectSuite('files', freshFolder)

test('the start removes unfinished files of dead processes, not of living ones, and any that is old', async () => {
  const { folder, open, remove } = await freshFolder()
  await mkdir(join(folder, 'tmp'))
  const names = [`${2 ** 22 + 5}-dead`, `${process.ppid}-living`, `${process.ppid}-old`, `${process.pid}-own-before`]
  for (const name of names) await writeFile(join(folder, 'tmp', name), 'x')
  await utimes(join(folder, 'tmp', `${process.ppid}-old`), 1, 1)
  const store = await open()
  expect(await store.sweep(Date.now() - 3_600_000)).toBe(3)
  expect(await readdir(join(folder, 'tmp'))).toEqual([`${process.ppid}-living`])
  await store.close()
  await remove()
})

test.each([
  ['ENOSPC', 'STORAGE_FULL'],
  ['EDQUOT', 'STORAGE_FULL'],
  ['EMFILE', 'OVERLOADED'],
  ['EIO', 'STORAGE_FAILED'],
  ['EROFS', 'STORAGE_FAILED'],
])('%s in a write is %s', (errno, code) => {
  const error = describeWriteError(Object.assign(new Error('no'), { code: errno }))
  expect(error.code).toBe(code)
})

test('EIO in a read is damage that names the object', () => {
  const error = describeReadError(Object.assign(new Error('no'), { code: 'EIO' }), 'packs/1/a.car')
  expect(CairnError.is(error, 'DATA_DAMAGED')).toBe(true)
  expect(error.details).toEqual({ object: 'packs/1/a.car' })
})
