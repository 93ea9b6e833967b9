import { blockKeyOfMultihash } from '../block-key.ts'
import type { PackedBlocks } from '../types.ts'
import type { BlockTable } from './block-table.ts'

/** Views the blocks of a table that lie in the pack itself; `count` is their number. */
export function packedBlocks(table: BlockTable, count: number): PackedBlocks {
  return {
    count,
    find(multihash) {
      const index = table.find(blockKeyOfMultihash(multihash))
      const offset = index < 0 ? undefined : table.offsetOf(index)
      return offset === undefined ? undefined : { offset, length: table.lengthOf(index) }
    },
    *[Symbol.iterator]() {
      for (let index = 0; index < table.size; index++) {
        const offset = table.offsetOf(index)
        if (offset === undefined) continue
        yield { multihash: table.multihashOf(index), offset, length: table.lengthOf(index) }
      }
    },
  }
}
