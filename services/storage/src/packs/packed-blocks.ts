import type { BlockTable } from './block-table.ts'
import type { PackedBlocks } from './packs.ts'
import { multihashOfDigest } from './sha256-multihash.ts'

/** Shows the blocks of a table that lie in the pack itself; `count` tells how many those are. */
export function packedBlocks(table: BlockTable, count: number): PackedBlocks {
  return {
    count,
    find(multihash) {
      const index = table.find(multihash.subarray(2))
      const offset = index < 0 ? undefined : table.offsetOf(index)
      return offset === undefined ? undefined : { offset, length: table.lengthOf(index) }
    },
    *[Symbol.iterator]() {
      for (let index = 0; index < table.size; index++) {
        const offset = table.offsetOf(index)
        if (offset === undefined) continue
        yield { multihash: multihashOfDigest(table.digestOf(index)), offset, length: table.lengthOf(index) }
      }
    },
  }
}
