import type { OnProgress } from '../progress.ts'

export type DownloadToDiskOptions = {
  /** Replaces an existing file. */
  overwrite?: boolean
  signal?: AbortSignal
  onProgress?: OnProgress
}

export type DownloadResult = {
  path: string
  sizeBytes: number
  files: number
  /** Symbolic links of a folder that point outside of it, and were not made: paths below the folder, and their targets. */
  leftOut?: readonly { path: string; target: string }[]
}
