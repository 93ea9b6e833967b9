import { expect, test } from 'vitest'
import { type Block, maxBlocks } from './document.ts'
import { limitBlocks, maxParts } from './limit-blocks.ts'

const line: Block = { kind: 'paragraph', runs: [{ text: 'a' }] }

test('leaves a document of usual size as it is', () => {
  const blocks: Block[] = [
    line,
    {
      kind: 'table',
      rows: [
        [[line], [line, line]],
        [[], [line]],
      ],
    },
    { kind: 'break' },
  ]
  expect(limitBlocks(blocks)).toEqual({ blocks, isCut: false })
})

test('truncates tables and lines with too many parts, and says so', () => {
  const wide: Block = { kind: 'paragraph', runs: Array.from({ length: maxParts + 10 }, () => ({ text: 'a' })) }
  const long = limitBlocks([wide, line])
  expect(long.isCut).toBe(true)
  expect(long.blocks).toHaveLength(1)
  expect(long.blocks[0]?.kind === 'paragraph' && long.blocks[0].runs.length).toBe(maxParts - 1)
  const table: Block = { kind: 'table', rows: Array.from({ length: maxParts }, () => [[line], [line]]) }
  const cut = limitBlocks([line, table])
  expect(cut.isCut).toBe(true)
  expect(cut.blocks[1]?.kind === 'table' && cut.blocks[1].rows.length).toBeLessThan(maxParts / 6)
})

test('reports a document as truncated when its reader stopped', () => {
  expect(limitBlocks(Array.from({ length: maxBlocks }, () => line)).isCut).toBe(true)
})
