import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sortAsWalked } from '@cairn/unixfs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readSmall } from '../local/read-small.ts'
import { openPath } from './local-files.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-local-files-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** The path of an entry whose name is given by its bytes. */
function pathOf(name: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')])
}

async function namesOf(path: string): Promise<string[]> {
  const opened = await openPath(path)
  if (opened.kind === 'file') return [opened.file.name]
  const names = []
  for await (const { name } of opened.files()) names.push(name)
  return names
}

test('a file whose name is not UTF-8 is an error that shows its bytes, in a folder and alone', async () => {
  await writeFile(join(folder, 'good.txt'), 'good')
  await writeFile(pathOf('caf\xe9.txt'), 'latin')
  const refused = { code: 'FILE_UNREADABLE', message: `The name of ${folder}/caf\\xe9.txt is not valid UTF-8` }
  await expect(namesOf(folder)).rejects.toMatchObject(refused)
  // As Node passes the argument of a command.
  await expect(namesOf(pathOf('caf\xe9.txt').toString())).rejects.toMatchObject(refused)
})

test('a folder whose name is not UTF-8 is an error, and so is each path through it', async () => {
  await mkdir(pathOf('d\xe9'))
  await writeFile(pathOf('d\xe9/x.txt'), 'x')
  const refused = { code: 'FILE_UNREADABLE', message: `The name of ${folder}/d\\xe9 is not valid UTF-8` }
  await expect(namesOf(folder)).rejects.toMatchObject(refused)
  await expect(namesOf(pathOf('d\xe9/x.txt').toString())).rejects.toMatchObject(refused)
})

test('reads no other file instead of one whose name is not UTF-8', async () => {
  const other = join(folder, 'a\ufffd')
  await writeFile(other, 'other')
  expect(await namesOf(folder)).toHaveLength(1)
  expect(await namesOf(other)).toEqual(['a\ufffd'])
  await writeFile(pathOf('a\xff'), 'wanted')
  await expect(namesOf(pathOf('a\xff').toString())).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
  await expect(namesOf(folder)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
})

test('passes on a large folder as its readers walk it, and in other uses by name', async () => {
  const names = Array.from({ length: 1_200 }, (_, at) => `${String(at).padStart(4, '0')}${'x'.repeat(196)}`)
  await Promise.all(names.map((name) => writeFile(join(folder, name), '')))
  const opened = await openPath(folder)
  if (opened.kind === 'file') throw new Error('it is a folder')
  const passedOn = []
  for await (const group of opened.entries()) passedOn.push(...group.map(({ name }) => name.split('/')[1]))
  expect(passedOn).toEqual(sortAsWalked(names.map((name) => ({ name }))).map(({ name }) => name))
  expect(passedOn).not.toEqual(names)
  expect((await namesOf(folder)).map((name) => name.split('/')[1])).toEqual(names)
})

test('a file that grows is an error that names how to upload it', async () => {
  const path = join(folder, 'growing.log')
  await writeFile(path, 'more than one byte')
  expect(() => readSmall(path, 1, (length) => new Uint8Array(length))).toThrow(
    expect.objectContaining({ code: 'FILE_CHANGED', hint: expect.stringContaining('`cairn upload -`') }),
  )
})
