import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import { createBlockTable } from './block-table.ts'

const cidOf = (digest: Uint8Array) => CID.createV1(0x55, create(0x12, digest))
const numbered = (i: number) => cidOf(createHash('sha256').update(String(i)).digest())

test('finds each of many blocks after it has grown, and no other', () => {
  const table = createBlockTable()
  const count = 5000
  for (let i = 0; i < count; i++) table.add(numbered(i), { file: i % 7, offset: i * 2 ** 33, length: i })
  expect(table.size).toBe(count)
  for (let i = 0; i < count; i++)
    expect(table.find(numbered(i))).toEqual([{ file: i % 7, offset: i * 2 ** 33, length: i }])
  expect(table.find(numbered(count))).toEqual([])
})

test('keeps several places of one key, and limits their number', () => {
  const table = createBlockTable()
  const digest = new Uint8Array(32).fill(1)
  const twin = digest.slice()
  twin[0] = 2
  for (let i = 0; i < 6; i++) table.add(cidOf(i % 2 === 0 ? digest : twin), { file: i, offset: i, length: 1 })
  // Both have the same last eight bytes: the reader verifies which one it has.
  expect(table.find(cidOf(twin)).map(({ file }) => file)).toEqual([0, 1, 2, 3])
  expect(table.size).toBe(4)
})
