import { createSha256Cid, rawCode } from '../cids/sha256-cid.ts'
import type { ImportedNode } from './block-sink.ts'

/** Returns the node of a file that is one raw leaf with this SHA-256. */
export function leafNode(digest: Uint8Array, sizeBytes: number): ImportedNode {
  const cid = createSha256Cid(1, rawCode, digest)
  return { cid, fileSizeBytes: sizeBytes, dagSizeBytes: sizeBytes, kind: 'file' }
}
