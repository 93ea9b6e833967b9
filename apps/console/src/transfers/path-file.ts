/** A file with its path below the dropped or chosen folder. */
export type PathFile = {
  path: string
  file: File
  /** For dropped files, if the browser supports it: the handle of the file, or of the folder around all of them. */
  handle?: FileSystemHandle
}
