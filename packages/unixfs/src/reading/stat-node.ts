import type { CID } from 'multiformats/cid'
import { decodeNode, type NodeKind, type NodeMetadata } from '../formats/node.ts'
import { type BlockSource, loadBlock, type ReadOptions } from './block-source.ts'

/** Properties of a DAG from its root block. */
export type NodeStat = NodeMetadata & {
  cid: CID
  kind: NodeKind
  /** Size of the file in bytes; undefined for anything else. */
  fileSizeBytes?: number
  /** Bytes of this block. */
  blockSizeBytes: number
  /** Bytes of all blocks as the links claim (Kubo's CumulativeSize); undefined if a link claims none. */
  dagSizeBytes?: number
  /** Number of links of this block. */
  linkCount: number
  /** Target of a symbolic link. */
  target?: string
}

/**
 * Describes the node at `cid` by reading its one block.
 * @throws UnixfsError BAD_BLOCK, UNSUPPORTED, and errors of the source
 */
export async function statNode(source: BlockSource, cid: CID, options: ReadOptions = {}): Promise<NodeStat> {
  const bytes = await loadBlock(source, cid, options)
  const node = decodeNode(cid, bytes)
  let dagSizeBytes: number | undefined = bytes.length
  for (const { sizeBytes } of node.links) {
    const sum: number = (dagSizeBytes ?? Number.NaN) + (sizeBytes ?? Number.NaN)
    dagSizeBytes = Number.isSafeInteger(sum) ? sum : undefined
  }
  return {
    cid,
    kind: node.kind,
    blockSizeBytes: bytes.length,
    linkCount: node.links.length,
    ...(dagSizeBytes === undefined ? {} : { dagSizeBytes }),
    ...('fileSizeBytes' in node ? { fileSizeBytes: node.fileSizeBytes } : {}),
    ...('mode' in node ? { mode: node.mode } : {}),
    ...('mtime' in node ? { mtime: node.mtime } : {}),
    ...(node.kind === 'symlink' ? { target: node.target } : {}),
  }
}
