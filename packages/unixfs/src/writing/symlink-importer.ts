import { CID } from 'multiformats/cid'
import { encodeDagPb } from '../formats/dag-pb.ts'
import { encodeInlineData, unixfsTypes } from '../formats/unixfs-data.ts'
import { UnixfsError } from '../unixfs-error.ts'
import type { ImportedNode } from './block-sink.ts'
import type { ImportOptions } from './file-importer.ts'
import { writeNode } from './write-node.ts'

/** Maximum length of the target of a symbolic link, in bytes, as on Linux. */
const maxTargetBytes = 4096

/**
 * Encodes a symbolic link as a UnixFS node.
 * @throws UnixfsError TOO_LARGE for a target beyond 4,096 bytes
 */
export function encodeSymlink(target: string): Uint8Array {
  const bytes = new TextEncoder().encode(target)
  if (bytes.length > maxTargetBytes) throw new UnixfsError('TOO_LARGE', 'The target of a symbolic link is too long')
  return encodeDagPb([], encodeInlineData(unixfsTypes.symlink, bytes))
}

/**
 * Writes a symbolic link.
 * @throws UnixfsError TOO_LARGE
 */
export async function importSymlink(target: string, { profile, hash, sink }: ImportOptions): Promise<ImportedNode> {
  const written = await writeNode(encodeSymlink(target), [], profile, hash, sink)
  return { cid: CID.decode(written.cid), fileSizeBytes: 0, dagSizeBytes: written.sizeBytes, kind: 'symlink' }
}
