/** Positions of the nodes of a Merkle path: the path from the leaf up, and the siblings. */
export type MerklePicture = {
  width: number
  height: number
  /** From the leaf to the root; one more than the siblings. */
  own: { x: number; y: number }[]
  siblings: { x: number; y: number }[]
}

const gapX = 34
const gapY = 30
const edge = 12

/**
 * Lays out a Merkle path: on each level the bit of the index places the node left or right of its sibling, with their
 * parent above and between them. The root is on top.
 */
export function drawMerklePath({ index, path }: { index: number; path: readonly string[] }): MerklePicture {
  const levels = path.length
  const own = [{ x: 0, y: levels * gapY }]
  const siblings: { x: number; y: number }[] = []
  let x = 0
  let rest = index
  for (let level = 1; level <= levels; level++) {
    const side = rest % 2 === 0 ? 1 : -1
    siblings.push({ x: x + side * gapX, y: (levels - level + 1) * gapY })
    x += (side * gapX) / 2
    own.push({ x, y: (levels - level) * gapY })
    rest = Math.floor(rest / 2)
  }
  const all = [...own, ...siblings]
  const left = Math.min(...all.map((node) => node.x))
  const move = (node: { x: number; y: number }) => ({ x: node.x - left + edge, y: node.y + edge })
  return {
    width: Math.max(...all.map((node) => node.x)) - left + 2 * edge,
    height: levels * gapY + 2 * edge,
    own: own.map(move),
    siblings: siblings.map(move),
  }
}
