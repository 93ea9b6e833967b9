import { KIB } from '@cairn/protocol'

/** Bytes of folders and links of one root that are never charged: a few hundred empty files have no more. */
const freeStructureBytes = 16 * KIB

/**
 * Returns the bytes that a root is charged for: those of its files, plus the bytes of its other blocks that exceed them. Names,
 * link targets and unknown fields of nodes are not bytes of files, and could otherwise store any amount for free.
 * @param contentBytes bytes of its files
 * @param dagSizeBytes bytes of all its blocks
 */
export function chargeOf({ contentBytes, dagSizeBytes }: { contentBytes: number; dagSizeBytes: number }): number {
  const structureBytes = dagSizeBytes - contentBytes
  return contentBytes + Math.max(0, structureBytes - Math.max(freeStructureBytes, contentBytes))
}
