import { partTypes } from '@cairn/protocol'
import type { LocalFile } from '../local-source.ts'

/** A folder that contains nothing. */
export function emptyFolder(name: string): LocalFile {
  return {
    kind: 'folder',
    name,
    sizeBytes: 0,
    mimeType: partTypes.emptyFolder,
    canReopen: true,
    open: () => [],
    place: (tree, placed) => tree.addDirectory(placed),
  }
}

/** Returns whether a Blob stands for an empty folder: browsers offer programs no other way to name one. */
export function isEmptyFolder({ size, type }: Blob): boolean {
  return size === 0 && type === partTypes.emptyFolder
}
