import type { CID } from 'multiformats/cid'
import type { HashFunction } from './hash-function.ts'
import { type DagNode, decodeNode } from './node.ts'
import { type HashTable, isIdentityCid, readIdentity, verifyBlock } from './verify.ts'

/** What can stop a read. */
export type ReadOptions = { signal?: AbortSignal | undefined }

/** Where blocks are read from. */
export type BlockSource = {
  /**
   * The bytes of a block, verified by whoever gives them (see `createVerifyingSource`). Identity CIDs are never asked
   * for. Fails with UnixfsError MISSING_BLOCK when it is not there.
   */
  get(cid: CID, options?: ReadOptions): Promise<Uint8Array>
  /** Told which blocks will be asked for next, in order. */
  prefetch?(cids: CID[]): void
  /** Nodes decoded before, for sources that many read from: large folders cost more to decode than to read. */
  readonly nodes?: NodeCache
}

/** Keeps decoded nodes, as many and as long as it sees fit. What it gives is shared: nobody changes it. */
export type NodeCache = {
  get(cid: CID): DagNode | undefined
  set(cid: CID, node: DagNode): void
}

/** A source that checks each block of another against its CID. Its `get` fails as `verifyBlock` does. */
export function createVerifyingSource(source: BlockSource, hash: HashFunction | HashTable): BlockSource {
  return {
    async get(cid, options) {
      const bytes = await source.get(cid, options)
      await verifyBlock(cid, bytes, hash)
      return bytes
    },
    prefetch: (cids) => source.prefetch?.(cids),
  }
}

/** Reads a block, from the CID itself when it lies there. */
export async function loadBlock(source: BlockSource, cid: CID, { signal }: ReadOptions): Promise<Uint8Array> {
  signal?.throwIfAborted()
  if (isIdentityCid(cid)) return readIdentity(cid)
  return source.get(cid, signal === undefined ? undefined : { signal })
}

/** Reads and decodes a block. */
export async function loadNode(source: BlockSource, cid: CID, options: ReadOptions): Promise<DagNode> {
  const known = source.nodes?.get(cid)
  if (known !== undefined) return known
  const node = decodeNode(cid, await loadBlock(source, cid, options))
  source.nodes?.set(cid, node)
  return node
}
