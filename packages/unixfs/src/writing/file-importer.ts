import { type HashFunction, whenReady } from '../cids/hash-function.ts'
import { createSha256Cid } from '../cids/sha256-cid.ts'
import { type BalancedTree, createBalancedTree, type FileSubtree } from './balanced-tree.ts'
import type { BlockSink, ImportedNode } from './block-sink.ts'
import { leafLayoutOf } from './leaf-layout.ts'
import type { ImportProfile } from './profiles.ts'

/** Options of an import. */
export type ImportOptions = { profile: ImportProfile; hash: HashFunction; sink: BlockSink }

/** Imports one file in chunks of any size. */
export type FileImporter = {
  /**
   * Adds the next bytes of the file. The caller may reuse them once this returns, or once the returned promise settles;
   * the next call waits for it too.
   */
  write(piece: Uint8Array): void | Promise<void>
  /** Writes the rest and returns the result: at once if hash and sink answer at once. */
  finish(): ImportedNode | Promise<ImportedNode>
  /** Returns what another importer needs to continue, once the last write has settled. Writes no block. */
  state(): Promise<FileImportState>
}

/** An interrupted import. Its size is bounded: one chunk, and less than `maxLinks` subtrees per level. */
export type FileImportState = {
  /** The subtrees that no written node links to yet, by level from the leaves. */
  readonly levels: readonly (readonly FileSubtree[])[]
  /** Bytes of the chunk that is not complete: the next importer gets them first. */
  readonly tail: Uint8Array
}

/** Maximum number of concurrent hashes, if they are promises. */
const hashesInFlight = 4

type Pending = { digest: Promise<Uint8Array>; block: Uint8Array; length: number; buffer?: Uint8Array }

/** Makes a value once for each key, and keeps it as long as the key. */
function once<K extends WeakKey, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>()
  return (key) => {
    const value = made.get(key) ?? make(key)
    made.set(key, value)
    return value
  }
}

const layoutOf = once(leafLayoutOf)
/** Buffers of past chunks, kept with their sink: a new buffer per small file would cost more than its import. */
const sparesOf = once((_sink: BlockSink): Uint8Array[] => [])

/**
 * Builds the DAG of one file like Kubo, while its bytes arrive: leaves, then each node as soon as it is full. Memory is
 * one chunk (four if hashes are promises) and `maxLinks` links per level.
 *
 * @param from levels of an interrupted import with the same profile; write its tail first. Defaults to a new file.
 */
export function createFileImporter(
  { profile, hash, sink }: ImportOptions,
  from: FileImportState['levels'] = [],
): FileImporter {
  const { code, headBytes, blockBytes, wrap } = layoutOf(profile)
  const { chunkSizeBytes, cidVersion } = profile
  // Version 0 has no raw blocks: raw leaves below a root of version 0 are of version 1, as in Kubo.
  const leafVersion = profile.rawLeaves ? 1 : cidVersion
  /** Created for the second leaf: a small file is its only one. */
  let tree: BalancedTree | undefined = from.length > 0 ? createBalancedTree(profile, hash, sink, from) : undefined
  let firstLeaf: FileSubtree | undefined
  /** Buffer of the current chunk; undefined between chunks. */
  let buffer: Uint8Array | undefined
  let filled = 0
  /** Leaves of this importer, and one for all before it. */
  let leaves = from.length > 0 ? 1 : 0
  let hashIsPromised = false
  let busy = false
  const spareBuffers = sparesOf(sink)
  const pending: Pending[] = []
  /** Whether a leaf is only a chunk, and the sink wants no bytes of its own. */
  const hashesInPlace = profile.rawLeaves && sink.allocate === undefined

  const acquireBuffer = (): Uint8Array => {
    // A region of the sink must be put before the next is allocated, so it cannot wait for a promised hash.
    if (sink.allocate !== undefined && !hashIsPromised) return sink.allocate(blockBytes)
    const spare = spareBuffers.pop()
    return spare?.length === blockBytes ? spare : new Uint8Array(blockBytes)
  }

  const releaseBuffer = (used: Uint8Array): void => {
    if (spareBuffers.length < hashesInFlight) spareBuffers.push(used)
  }

  const openTree = (): BalancedTree => {
    if (tree !== undefined) return tree
    tree = createBalancedTree(profile, hash, sink, firstLeaf === undefined ? [] : [[firstLeaf]])
    firstLeaf = undefined
    return tree
  }

  const addLeaf = (leaf: FileSubtree): void | Promise<void> => {
    if (tree !== undefined || firstLeaf !== undefined) return openTree().add(leaf)
    firstLeaf = leaf
  }

  const putLeaf = (digest: Uint8Array, block: Uint8Array, length: number): void | Promise<void> => {
    const cid = createSha256Cid(leafVersion, code, digest)
    const leaf = { cid, fileSizeBytes: length, dagSizeBytes: block.length }
    return whenReady(sink.put(cid, block), () => addLeaf(leaf))
  }

  const settleOldest = async (): Promise<void> => {
    const oldest = pending.shift()
    if (oldest === undefined) return
    await putLeaf(await oldest.digest, oldest.block, oldest.length)
    if (oldest.buffer !== undefined) releaseBuffer(oldest.buffer)
  }

  /** Completes the chunk in `from`. */
  const emitBuffer = (from: Uint8Array, length: number): void | Promise<void> => {
    leaves++
    const block = wrap(from, length)
    const digest = hash(block)
    if (!(digest instanceof Promise)) {
      const done = putLeaf(digest, block, length)
      return sink.allocate === undefined ? whenReady(done, () => releaseBuffer(from)) : done
    }
    // Marks the promise as handled: its rejection is awaited later.
    digest.catch(() => undefined)
    const liesInSink = sink.allocate !== undefined && !hashIsPromised
    hashIsPromised = true
    pending.push(liesInSink ? { digest, block, length } : { digest, block, length, buffer: from })
    return liesInSink || pending.length >= hashesInFlight ? settleOldest() : undefined
  }

  /** Completes a full chunk where it lies in the caller's bytes, without a copy. */
  const emitInPlace = (block: Uint8Array): void | Promise<void> => {
    leaves++
    const digest = hash(block)
    hashIsPromised = digest instanceof Promise
    return whenReady(digest, (known) => putLeaf(known, block, chunkSizeBytes))
  }

  /** Consumes bytes up to the end of a chunk. */
  const consume = (piece: Uint8Array, offset: number): { next: number; done: void | Promise<void> } => {
    const left = piece.length - offset
    if (hashesInPlace && !hashIsPromised && buffer === undefined && left >= chunkSizeBytes) {
      const next = offset + chunkSizeBytes
      return { next, done: emitInPlace(piece.subarray(offset, next)) }
    }
    buffer ??= acquireBuffer()
    const count = Math.min(left, chunkSizeBytes - filled)
    const whole = offset === 0 && count === piece.length
    buffer.set(whole ? piece : piece.subarray(offset, offset + count), headBytes + filled)
    filled += count
    if (filled < chunkSizeBytes) return { next: offset + count, done: undefined }
    const full = buffer
    buffer = undefined
    filled = 0
    return { next: offset + count, done: emitBuffer(full, chunkSizeBytes) }
  }

  const writeRest = async (piece: Uint8Array, offset: number, first: Promise<void>): Promise<void> => {
    await first
    for (let at = offset; at < piece.length; ) {
      const { next, done } = consume(piece, at)
      if (done instanceof Promise) await done
      at = next
    }
    busy = false
  }

  /** Settles the promised hashes. */
  const settleAll = async (): Promise<void> => {
    while (pending.length > 0) await settleOldest()
  }

  const endOfLeaves = (): void | Promise<void> => {
    if (filled === 0 && leaves > 0) return pending.length > 0 ? settleAll() : undefined
    const last = buffer ?? acquireBuffer()
    buffer = undefined
    const length = filled
    filled = 0
    const emitted = emitBuffer(last, length)
    return emitted instanceof Promise || pending.length > 0 ? whenReady(emitted, settleAll) : undefined
  }

  const endOfTree = (): ImportedNode | Promise<ImportedNode> =>
    whenReady(firstLeaf ?? openTree().finish(), (root) => ({ ...root, kind: 'file' }))

  return {
    write(piece) {
      if (busy) throw new TypeError('write was called before the promise of the last write settled')
      for (let at = 0; at < piece.length; ) {
        const { next, done } = consume(piece, at)
        if (done instanceof Promise) {
          busy = true
          return writeRest(piece, next, done)
        }
        at = next
      }
      return undefined
    },
    finish() {
      if (busy) throw new TypeError('finish was called before the promise of the last write settled')
      busy = true
      return whenReady(endOfLeaves(), endOfTree)
    },
    async state() {
      if (busy) throw new TypeError('state was called before the promise of the last write settled')
      // A copy: the region belongs to the sink.
      const tail = buffer === undefined ? new Uint8Array(0) : buffer.slice(headBytes, headBytes + filled)
      await settleAll()
      return { levels: tree !== undefined || firstLeaf !== undefined ? openTree().levels() : [], tail }
    },
  }
}
