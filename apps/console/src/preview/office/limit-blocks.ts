import { type Block, maxBlocks, type Run } from './document.ts'

/** Parts of a document that are laid out: blocks, also those in cells, the cells, and the runs of their lines. */
export const maxParts = 100_000

/**
 * Returns the beginning of a document, as much as a browser lays out in reasonable time. Tables and lines count with all of their
 * parts.
 * @param blocks the blocks as read, at most a few more than `maxBlocks`
 */
export function limitBlocks(blocks: readonly Block[]): { blocks: Block[]; isCut: boolean } {
  let free = maxParts
  let isCut = blocks.length >= maxBlocks
  const take = <Part, Taken>(parts: readonly Part[], read: (part: Part) => Taken): Taken[] => {
    const taken: Taken[] = []
    for (const part of parts) {
      if (free <= 0) {
        isCut = true
        break
      }
      free--
      taken.push(read(part))
    }
    return taken
  }
  const takeRun = (run: Run) => run
  const takeBlock = (block: Block): Block => {
    if (block.kind === 'table') return { ...block, rows: take(block.rows, (row) => take(row, takeBlocks)) }
    return 'runs' in block ? { ...block, runs: take(block.runs, takeRun) } : block
  }
  const takeBlocks = (some: readonly Block[]): Block[] => take(some, takeBlock)
  return { blocks: takeBlocks(blocks), isCut }
}
