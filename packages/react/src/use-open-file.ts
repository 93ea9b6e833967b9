import type { Progress } from '@cairn/sdk'
import { useEffect, useState } from 'react'
import { readBlob } from './read-blob.ts'
import { type Loaded, useLoaded } from './use-loaded.ts'

/** Options of {@link useOpenFile}. */
export type OpenFileSettings = {
  /** Whether the file is encrypted. Defaults to what the account and the key nodes report. */
  encrypted?: boolean | undefined
  /**
   * Type of the Blob. A URL of type `text/html` or `image/svg+xml` runs scripts in the origin of the app when the
   * browser navigates to it: set these types only for your own files.
   * @defaultValue application/octet-stream
   */
  mimeType?: string | undefined
  /**
   * Maximum size in bytes, because the file is read into memory.
   * @defaultValue 256 MiB
   */
  maxBytes?: number | undefined
}

/** What {@link useOpenFile} returns. */
export type UseOpenFile = Omit<Loaded<Blob>, 'data'> & {
  blob: Blob | undefined
  /** An object URL of the Blob, revoked when the component unmounts or the content changes. */
  url: string | undefined
  progress: Progress | undefined
}

const defaultMaxBytes = 256 * 1024 * 1024

/**
 * Reads a file into memory, verified against its CID and decrypted if needed.
 * @param content a CID, or a CID with a path for plain content; undefined reads nothing
 */
export function useOpenFile(content: string | undefined, settings: OpenFileSettings = {}): UseOpenFile {
  const { encrypted, mimeType = 'application/octet-stream', maxBytes = defaultMaxBytes } = settings
  const [progress, setProgress] = useState<{ content: string; step: Progress }>()
  const key = content === undefined ? undefined : JSON.stringify([content, encrypted, mimeType, maxBytes])
  const { data: blob, ...loaded } = useLoaded(key, undefined, (client, signal) =>
    readBlob(client, content ?? '', {
      encrypted,
      maxBytes,
      mimeType,
      signal,
      onProgress: (step) => {
        if (!signal.aborted && content !== undefined) setProgress({ content, step })
      },
    }),
  )
  const [made, setMade] = useState<{ blob: Blob; url: string }>()
  useEffect(() => {
    if (blob === undefined) return
    const url = URL.createObjectURL(blob)
    setMade({ blob, url })
    return () => URL.revokeObjectURL(url)
  }, [blob])
  const url = made !== undefined && made.blob === blob ? made.url : undefined
  return { ...loaded, blob, url, progress: progress?.content === content ? progress?.step : undefined }
}
