import type { CID } from 'multiformats/cid'

/** Where a block is: the payload in one of several files, in bytes. */
export type BlockPlace = { file: number; offset: number; length: number }

/** Maximum number of places per block. More copies add nothing, and would slow down a search. */
const maxPlaces = 4

/**
 * Places of blocks by their multihash, in 28 bytes per block at most 80 % full: a map of objects takes ten times as
 * much. Compares only eight bytes of the digest, so a reader verifies what it finds.
 */
export type BlockTable = {
  readonly size: number
  add(cid: CID, place: BlockPlace): void
  find(cid: CID): BlockPlace[]
}

export function createBlockTable(): BlockTable {
  let slots = 1024
  let columns = createColumns(slots)
  let size = 0

  const put = (high: number, low: number, place: BlockPlace): boolean => {
    let copies = 0
    for (let slot = low & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      if (columns.files[slot] === 0) {
        columns.highs[slot] = high
        columns.lows[slot] = low
        columns.files[slot] = place.file + 1
        columns.offsets[slot] = place.offset
        columns.lengths[slot] = place.length
        return true
      }
      if (columns.highs[slot] === high && columns.lows[slot] === low && ++copies === maxPlaces) return false
    }
  }

  const grow = (): void => {
    const old = columns
    slots *= 2
    columns = createColumns(slots)
    for (let slot = 0; slot < old.files.length; slot++) {
      const file = old.files[slot] ?? 0
      if (file === 0) continue
      put(old.highs[slot] ?? 0, old.lows[slot] ?? 0, {
        file: file - 1,
        offset: old.offsets[slot] ?? 0,
        length: old.lengths[slot] ?? 0,
      })
    }
  }

  return {
    get size() {
      return size
    },
    add(cid, place) {
      if (size >= slots * 0.8) grow()
      const [high, low] = keyOf(cid)
      if (put(high, low, place)) size++
    },
    find(cid) {
      const [high, low] = keyOf(cid)
      const found: BlockPlace[] = []
      for (let slot = low & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
        const file = columns.files[slot] ?? 0
        if (file === 0) return found
        if (columns.highs[slot] !== high || columns.lows[slot] !== low) continue
        found.push({ file: file - 1, offset: columns.offsets[slot] ?? 0, length: columns.lengths[slot] ?? 0 })
      }
    },
  }
}

function createColumns(slots: number) {
  return {
    highs: new Uint32Array(slots),
    lows: new Uint32Array(slots),
    /** 0 for an empty slot. */
    files: new Uint32Array(slots),
    offsets: new Float64Array(slots),
    lengths: new Uint32Array(slots),
  }
}

/** Returns the last eight bytes of the digest. Digests are at least 20 bytes long, and evenly distributed. */
function keyOf({ multihash: { digest } }: CID): [high: number, low: number] {
  const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength)
  return [view.getUint32(digest.length - 8), view.getUint32(digest.length - 4)]
}
