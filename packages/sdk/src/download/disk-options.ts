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
  /** Symbolic links that were not created because they point outside the folder: their paths below it, and their targets. */
  leftOut?: readonly { path: string; target: string }[]
}
