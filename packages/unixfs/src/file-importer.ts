import { type BalancedTree, createBalancedTree } from './balanced-tree.ts'
import type { BlockSink, ImportedNode } from './block-sink.ts'
import { type HashFunction, whenReady } from './hash-function.ts'
import { type LeafLayout, leafLayoutOf } from './leaf-layout.ts'
import type { ImportProfile } from './profiles.ts'
import { createSha256Cid } from './sha256-cid.ts'

/** What an import needs. */
export type ImportOptions = { profile: ImportProfile; hash: HashFunction; sink: BlockSink }

/** Takes one file in pieces. */
export type FileImporter = {
  /**
   * Takes the next bytes of the file, of any number. They may be reused as soon as this returns, or when it returns a
   * promise, as soon as that settles; the next call waits for it too.
   */
  write(piece: Uint8Array): void | Promise<void>
  /** Writes what is left and tells what the file came to. */
  finish(): Promise<ImportedNode>
}

/** Hashes under way at once when they are promised. */
const hashesInFlight = 4

type Pending = { digest: Promise<Uint8Array>; block: Uint8Array; length: number; room?: Uint8Array }

const layouts = new WeakMap<ImportProfile, LeafLayout>()

function layoutOf(profile: ImportProfile): LeafLayout {
  const known = layouts.get(profile)
  if (known !== undefined) return known
  const layout = leafLayoutOf(profile)
  layouts.set(profile, layout)
  return layout
}

/** Rooms of past chunks, kept with their sink: a fresh room per small file would cost more than its import. */
const roomsOfSinks = new WeakMap<BlockSink, Uint8Array[]>()

function sparesOf(sink: BlockSink): Uint8Array[] {
  const known = roomsOfSinks.get(sink)
  if (known !== undefined) return known
  const rooms: Uint8Array[] = []
  roomsOfSinks.set(sink, rooms)
  return rooms
}

/**
 * Builds the DAG of one file as Kubo does, while its bytes arrive: leaves, then each node as soon as it is full. Memory
 * is one chunk (four when hashes are promised) and `maxLinks` links on each level.
 */
export function createFileImporter({ profile, hash, sink }: ImportOptions): FileImporter {
  const { code, headBytes, blockBytes, wrap } = layoutOf(profile)
  const { chunkSizeBytes, cidVersion } = profile
  // Version 0 has no raw blocks: raw leaves below a root of version 0 are of version 1, as Kubo writes them.
  const leafVersion = profile.rawLeaves ? 1 : cidVersion
  const tree: BalancedTree = createBalancedTree(profile, hash, sink)
  /** Where the chunk grows; undefined between chunks. */
  let room: Uint8Array | undefined
  let filled = 0
  let leaves = 0
  let hashIsPromised = false
  let busy = false
  const spareRooms = sparesOf(sink)
  const pending: Pending[] = []

  const takeRoom = (): Uint8Array => {
    // A region of the sink must be put before the next is asked for, so it cannot wait for a promised hash.
    if (sink.allocate !== undefined && !hashIsPromised) return sink.allocate(blockBytes)
    const spare = spareRooms.pop()
    return spare?.length === blockBytes ? spare : new Uint8Array(blockBytes)
  }

  const giveBack = (used: Uint8Array): void => {
    if (spareRooms.length < hashesInFlight) spareRooms.push(used)
  }

  const putLeaf = (digest: Uint8Array, block: Uint8Array, length: number): void | Promise<void> => {
    const cid = createSha256Cid(leafVersion, code, digest)
    const put = sink.put(cid, block)
    const leaf = { cid, fileSizeBytes: length, dagSizeBytes: block.length }
    return put instanceof Promise ? put.then(() => tree.add(leaf)) : tree.add(leaf)
  }

  const settleOldest = async (): Promise<void> => {
    const oldest = pending.shift()
    if (oldest === undefined) return
    await putLeaf(await oldest.digest, oldest.block, oldest.length)
    if (oldest.room !== undefined) giveBack(oldest.room)
  }

  /** Ends the chunk that lies in `from`. */
  const emitRoom = (from: Uint8Array, length: number): void | Promise<void> => {
    leaves++
    const block = wrap(from, length)
    const digest = hash(block)
    if (!(digest instanceof Promise)) {
      const done = putLeaf(digest, block, length)
      return sink.allocate === undefined ? whenReady(done, () => giveBack(from)) : done
    }
    // Marks the promise as handled: its failure is met when its turn comes.
    digest.catch(() => undefined)
    const liesInSink = sink.allocate !== undefined && !hashIsPromised
    hashIsPromised = true
    pending.push(liesInSink ? { digest, block, length } : { digest, block, length, room: from })
    return liesInSink || pending.length >= hashesInFlight ? settleOldest() : undefined
  }

  /** Takes bytes up to the end of a chunk. */
  const takeSome = (piece: Uint8Array, offset: number): { next: number; done: void | Promise<void> } => {
    const left = piece.length - offset
    room ??= takeRoom()
    const take = Math.min(left, chunkSizeBytes - filled)
    const whole = offset === 0 && take === piece.length
    room.set(whole ? piece : piece.subarray(offset, offset + take), headBytes + filled)
    filled += take
    if (filled < chunkSizeBytes) return { next: offset + take, done: undefined }
    const full = room
    room = undefined
    filled = 0
    return { next: offset + take, done: emitRoom(full, chunkSizeBytes) }
  }

  const writeRest = async (piece: Uint8Array, offset: number, first: Promise<void>): Promise<void> => {
    await first
    for (let at = offset; at < piece.length; ) {
      const { next, done } = takeSome(piece, at)
      if (done instanceof Promise) await done
      at = next
    }
    busy = false
  }

  const endOfLeaves = async (): Promise<void> => {
    if (filled > 0 || leaves === 0) {
      const last = room ?? takeRoom()
      room = undefined
      const length = filled
      filled = 0
      await emitRoom(last, length)
    }
    while (pending.length > 0) await settleOldest()
  }

  return {
    write(piece) {
      if (busy) throw new TypeError('write was called before the promise of the last write settled')
      for (let at = 0; at < piece.length; ) {
        const { next, done } = takeSome(piece, at)
        if (done instanceof Promise) {
          busy = true
          return writeRest(piece, next, done)
        }
        at = next
      }
      return undefined
    },
    async finish() {
      if (busy) throw new TypeError('finish was called before the promise of the last write settled')
      busy = true
      await endOfLeaves()
      return { ...(await tree.finish()), kind: 'file' }
    },
  }
}
