import type { CairnError, NetworkProfile } from '@cairn/sdk'

/** An entry of a ZIP: a file, a stored folder with everything in it, or an empty folder. */
export type ZipItem = {
  /** Path in the ZIP; for a stored folder, that of the folder. */
  path: string
  /** Undefined for an empty folder. */
  cid: string | undefined
  /** Includes only the part below this path of a stored folder. */
  innerPath?: string
  mimeType: string | null
  isEncrypted: boolean
  isPrivate: boolean
  /** As listed; undefined if the list does not state it. */
  sizeBytes?: number
  modifiedAt: number
}

/** A ZIP to write. */
export type WriteOrder = {
  kind: 'write'
  network: NetworkProfile
  /** Set if an item is private: the SDK signs links with it. */
  apiKey: string | undefined
  items: readonly ZipItem[]
  /** The file that the user chose; undefined for one in the storage of the browser. */
  target: FileSystemFileHandle | undefined
}

/** A ZIP that was written. */
export type WrittenZip = {
  /** Undefined if the user chose a file. */
  file: Blob | undefined
  fileCount: number
  bytes: number
  /** Paths that the ZIP does not contain: symbolic links, and other content that is neither file nor folder. */
  leftOut: string[]
}

/** Messages to the worker. */
export type ZipOrder =
  | WriteOrder
  /** The file key of an item: the page has the session with the key nodes. */
  | { kind: 'key'; cid: string; masterKey: string }
  | { kind: 'no-key'; cid: string; error: ReturnType<CairnError['toJSON']> }

/** Messages from the worker. */
export type ZipEvent =
  | { kind: 'need-key'; cid: string }
  | { kind: 'progress'; fileCount: number; bytes: number }
  | ({ kind: 'written' } & WrittenZip)
  | { kind: 'failed'; error: ReturnType<CairnError['toJSON']> }
