import type { CID } from 'multiformats/cid'
import type { CidList } from '../cids/cid-list.ts'
import type { HashFunction } from '../cids/hash-function.ts'
import { isIdentityCid, readIdentity, verifyBlock } from '../cids/verify.ts'
import { type DagNode, decodeNode } from '../formats/node.ts'

/** Options that stop a read. */
export type ReadOptions = { signal?: AbortSignal | undefined }

/** Source of blocks. */
export type BlockSource = {
  /**
   * Returns the bytes of a block, verified by the source (see `createVerifyingSource`). Never called for identity CIDs.
   * Fails with UnixfsError MISSING_BLOCK if the block does not exist.
   */
  get(cid: CID, options?: ReadOptions): Promise<Uint8Array>
  /** Announces the next blocks, in order. A long list is packed, so that source and reader can share its memory. */
  prefetch?(cids: readonly CID[] | CidList): void
  /** Cache of decoded nodes, for sources with many readers: large folders cost more to decode than to read. */
  readonly nodes?: NodeCache
}

/** Caches decoded nodes by its own policy. Its results are shared: do not modify them. */
export type NodeCache = {
  get(cid: CID): DagNode | undefined
  set(cid: CID, node: DagNode): void
}

/** Wraps a source and verifies each block against its CID. Its `get` fails as `verifyBlock` does. */
export function createVerifyingSource(source: BlockSource, hash: HashFunction): BlockSource {
  return {
    async get(cid, options) {
      const bytes = await source.get(cid, options)
      await verifyBlock(cid, bytes, hash)
      return bytes
    },
    prefetch: (cids) => source.prefetch?.(cids),
  }
}

/** Reads a block, from the CID itself if it is an identity CID. */
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
