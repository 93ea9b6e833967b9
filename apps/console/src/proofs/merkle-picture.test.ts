import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawMerklePath } from './merkle-picture.ts'

test('draws a single leaf', () => {
  const { own, siblings } = drawMerklePath({ index: 0, path: [] })
  expect(own).toHaveLength(1)
  expect(siblings).toEqual([])
})

test('places the sibling of each node by its index, and its parent between and above', () => {
  const levels = fc.integer({ min: 1, max: 40 })
  fc.assert(
    fc.property(levels, fc.integer({ min: 0, max: 2 ** 40 }), (count, index) => {
      const path = Array.from({ length: count }, () => '00')
      const { own, siblings, width, height } = drawMerklePath({ index, path })
      for (const [level, sibling] of siblings.entries()) {
        const node = own[level]
        const parent = own[level + 1]
        if (node === undefined || parent === undefined) throw new Error('the way has a gap')
        const isRight = Math.floor(index / 2 ** level) % 2 === 1
        expect(sibling.x < node.x).toBe(isRight)
        expect(sibling.y).toBe(node.y)
        expect(parent.x).toBe((node.x + sibling.x) / 2)
        expect(parent.y).toBeLessThan(node.y)
      }
      for (const { x, y } of [...own, ...siblings]) {
        expect(x).toBeGreaterThan(0)
        expect(x).toBeLessThan(width)
        expect(y).toBeGreaterThan(0)
        expect(y).toBeLessThan(height)
      }
    }),
  )
})
