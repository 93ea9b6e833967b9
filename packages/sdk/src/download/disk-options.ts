import type { OnProgress } from '../progress.ts'

export type DownloadToDiskOptions = {
  /** Replaces an existing file. */
  overwrite?: boolean
  signal?: AbortSignal
  onProgress?: OnProgress
}

export type DownloadResult = { path: string; sizeBytes: number; files: number }
