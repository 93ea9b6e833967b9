import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPart, writeWhole } from './part-file.ts'

let folder = ''
let target = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-part-'))
  target = join(folder, 'target')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const bytes = (text: string) => new TextEncoder().encode(text)
const names = () => readdirSync(folder).toSorted()

test('the later of two downloads to one target completes, with only its own bytes', async () => {
  const first = await openPart(target, false)
  await first.write(bytes('first'), 0)
  await first.flush()
  const later = await openPart(target, false)
  expect(later.sizeBytes).toBe(5)
  await later.truncate(0)
  await later.write(bytes('later one'), 0)
  await first.write(bytes(' and more of it'), 5)
  await expect(first.finish(false)).rejects.toMatchObject({ code: 'FILE_CHANGED' })
  await later.finish(false)
  expect(readFileSync(target, 'utf8')).toBe('later one')
  expect(names()).toEqual(['target'])
})

test('aborting a download does not affect that of another', async () => {
  const first = await openPart(target, false)
  const later = await openPart(target, false)
  await first.discard()
  await later.write(bytes('later'), 0)
  await later.finish(false)
  expect(readFileSync(target, 'utf8')).toBe('later')
  expect(names()).toEqual(['target'])
})

test('resumes from verified bytes of an earlier attempt, which a process still writing them cannot change', async () => {
  const earlier = await openPart(target, false)
  await earlier.write(bytes('right and wrong'), 0)
  await earlier.flush()
  const part = await openPart(target, false)
  expect(Buffer.from(await part.read(0, 5)).toString()).toBe('right')
  await part.truncate(5)
  await earlier.write(bytes('WRONG'), 0)
  await earlier.flush()
  await part.write(bytes(' to the end'), 5)
  await part.finish(false)
  expect(readFileSync(target, 'utf8')).toBe('right to the end')
  await earlier.close()
  expect(names()).toEqual(['target'])
})

test('puts back a part that was not resumed', async () => {
  writeFileSync(`${target}.part`, 'earlier')
  const part = await openPart(target, false)
  await part.close()
  expect(readFileSync(`${target}.part`, 'utf8')).toBe('earlier')
  expect(names()).toEqual(['target.part'])
})

test('a process that is killed while it checks or copies a part loses none of its bytes', async () => {
  writeFileSync(`${target}.part`, 'earlier')
  // As after a kill: neither file is closed.
  const checking = await openPart(target, false)
  writeFileSync(`${target}.part.part`, 'ear')
  const next = await openPart(target, false)
  expect([checking.sizeBytes, next.sizeBytes]).toEqual([7, 7])
  await expect(next.truncate(7, AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' })
  expect(names()).toEqual(['target.part'])
  expect(readFileSync(`${target}.part`, 'utf8')).toBe('earlier')
  await next.truncate(7)
  await next.write(bytes(' and later'), 7)
  await next.finish(false)
  expect(readFileSync(target, 'utf8')).toBe('earlier and later')
  expect(names()).toEqual(['target'])
  await checking.close()
})

test('rejects a part that is not a regular file, and leaves it', async () => {
  writeFileSync(join(folder, 'elsewhere'), 'untouched')
  symlinkSync(join(folder, 'elsewhere'), `${target}.part`)
  await expect(openPart(target, true)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
  expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('untouched')
  expect(names()).toEqual(['elsewhere', 'target.part'])
})

test('a download that ends early keeps what has arrived', async () => {
  const part = await openPart(target, false)
  await part.write(bytes('arrived'), 0)
  await part.close()
  expect(readFileSync(`${target}.part`, 'utf8')).toBe('arrived')
})

test('a target that appears meanwhile stays, and the download can be resumed', async () => {
  const part = await openPart(target, false)
  await part.write(bytes('downloaded'), 0)
  writeFileSync(target, 'mine')
  await expect(part.finish(false)).rejects.toMatchObject({ code: 'FILE_EXISTS' })
  expect(readFileSync(target, 'utf8')).toBe('mine')
  expect(readFileSync(`${target}.part`, 'utf8')).toBe('downloaded')
})

test('writes small files at once, each by itself, and never over another', async () => {
  const texts = Array.from({ length: 20 }, (_, at) => `${at}`.repeat(1000))
  await Promise.all(texts.map((text) => writeWhole(target, [bytes(text)], true)))
  expect(texts).toContain(readFileSync(target, 'utf8'))
  expect(names()).toEqual(['target'])
  await expect(writeWhole(target, [bytes('new')], false)).rejects.toMatchObject({ code: 'FILE_EXISTS' })
  await expect(writeWhole(folder, [bytes('new')], true)).rejects.toMatchObject({ code: 'FILE_EXISTS' })
  expect(names()).toEqual(['target'])
})
