import { KIB } from '@cairn/protocol'

/** Bytes of folders and links of one root that are never charged: a few hundred empty files have no more. */
const freeStructureBytes = 16 * KIB

/**
 * Returns the bytes that a root is charged for: those of its files, and what its other blocks have beyond as many bytes
 * again. Names, targets of links and unknown fields of nodes are not bytes of files: without this, they would store
 * anything for free.
 * @param contentBytes bytes of its files
 * @param dagSizeBytes bytes of all its blocks
 */
export function chargeOf({ contentBytes, dagSizeBytes }: { contentBytes: number; dagSizeBytes: number }): number {
  const structureBytes = dagSizeBytes - contentBytes
  return contentBytes + Math.max(0, structureBytes - Math.max(freeStructureBytes, contentBytes))
}
