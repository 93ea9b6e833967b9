/** A file to be sent: opened when its turn comes, so that a folder of many costs one open file. */
export type LocalFile = {
  /** Name or path below the upload's root, segments parted by `/`. */
  name: string
  /** Bytes, where they are known before reading. */
  sizeBytes: number | undefined
  mimeType?: string | undefined
  /** Where it lies on disk. */
  path?: string
  /** The same bytes as a Blob, where they are one. */
  blob?: Blob
  /** Whether `open` can be called again, for another try. */
  canReopen: boolean
  /** Its bytes. A piece is valid until the next is asked for. */
  open(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** What a path is. */
export type LocalPath =
  | { kind: 'file'; file: LocalFile }
  | { kind: 'directory'; name: string; files(): AsyncIterable<LocalFile> }

/** A request whose body is made while it is sent. */
export type StreamedRequest = {
  url: string
  /** `POST` unless told. */
  method?: 'POST' | 'PATCH'
  headers: Record<string, string>
  /** Length of the body, where it is known. */
  contentLength: number | undefined
  /** The body. A piece is valid until the next is asked for. */
  body: AsyncIterable<Uint8Array> | Blob
  signal: AbortSignal
  /** Told how much of the body is on its way, where it is gathered before it is sent. */
  onSent?: ((bytes: number, total: number) => void) | undefined
}

/** An answer, read to its end. */
export type StreamedAnswer = { status: number; header(name: string): string | null; text: string }
