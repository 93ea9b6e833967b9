import type { DirectoryTree, ImportOptions } from '@cairn/unixfs'

/** A file to upload, opened when it is sent, so that a folder of many files needs one open file. */
export type LocalFile = {
  /** Set if it is not a file: a symbolic link, whose bytes are its target, or an empty folder. */
  kind?: 'link' | 'folder'
  /** Adds what is not a file to the tree. */
  place?: (tree: DirectoryTree, name: string, importing: ImportOptions) => Promise<void> | void
  /** Name or path below the root of the upload, segments separated by `/`. */
  name: string
  /** Size in bytes, if known before reading. */
  sizeBytes: number | undefined
  mimeType?: string | undefined
  /** Path on disk. */
  path?: string
  /** The same bytes as a Blob, if there is one. */
  blob?: Blob
  /** Whether `open` can be called again, for a retry. */
  canReopen: boolean
  /** Yields the bytes. A chunk is valid until the next but one is read: it may be on its way while the next one is read. */
  open(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** Called with the path of each entry that is left out, segments separated by `/`. */
export type OnLeftOut = ((path: string) => void) | undefined

/** Whether a name begins with a dot, as names that `ls` does not show. */
export const isHidden = (name: string): boolean => name.startsWith('.') && name !== '.' && name !== '..'

/** What a walk of a folder on disk passes on. */
export type WalkOptions = {
  onLeftOut?: OnLeftOut
  /** Whether entries whose names begin with a dot belong to it. Defaults to true. */
  hidden?: boolean | undefined
}

/** Kind and content of a path. */
export type LocalPath =
  | { kind: 'file'; file: LocalFile }
  | {
      kind: 'directory'
      name: string
      /** The files, and the empty folders if `keepsFolders` is set. Other entries are reported. */
      files(options?: WalkOptions & { keepsFolders?: boolean }): AsyncIterable<LocalFile>
      /** The files, symbolic links and empty folders, many at a time. Other entries are reported. */
      entries(options?: WalkOptions): AsyncIterable<readonly LocalFile[]>
    }

/** A request whose body is produced while it is sent. */
export type StreamedRequest = {
  url: string
  /** Defaults to `POST`. */
  method?: 'POST' | 'PATCH'
  headers: Record<string, string>
  /** Length of the body in bytes, if known. */
  contentLength: number | undefined
  /** The body. A chunk is valid until the next but one is read: it may be on its way while the next one is read. */
  body: AsyncIterable<Uint8Array> | Blob
  signal: AbortSignal
  /** Called with the bytes sent so far, on platforms that gather the body before they send it. */
  onSent?: ((bytes: number, total: number) => void) | undefined
  /** Called when the whole body was passed on, on platforms that send it while it is read. */
  onEnd?: (() => void) | undefined
}

/** A response, read to its end. */
export type StreamedAnswer = { status: number; header(name: string): string | null; text: string }

/** A request for a body that is read while it arrives. */
export type ReceiveRequest = { url: string; headers: Record<string, string>; signal: AbortSignal }

/** A response with its body unread. Read the body to its end, or call its `return`. */
export type ReceivedResponse = {
  status: number
  header(name: string): string | null
  /** The body. A chunk is valid until the next read. */
  body: AsyncIterableIterator<Uint8Array, undefined>
}
