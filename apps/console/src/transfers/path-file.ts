import { partTypes } from '@cairn/protocol'

/** A file with its path below the dropped or chosen folder. */
export type PathFile = {
  path: string
  file: File
  /** For dropped files, if the browser supports it: the handle of the file, or of the folder around all of them. */
  handle?: FileSystemHandle
}

/** An empty folder, as the SDK takes it. */
export function emptyFolderFile(path: string): File {
  return new File([], path.slice(path.lastIndexOf('/') + 1), { type: partTypes.emptyFolder, lastModified: 0 })
}

/** Returns whether a file stands for an empty folder. */
export function isEmptyFolder({ size, type }: { size: number; type: string }): boolean {
  return size === 0 && type === partTypes.emptyFolder
}
