import type { CairnError, Client } from '@cairn/sdk'

/** One file or folder of a source. */
export type ImportItem = {
  /** Identifies the item in its source; the journal records it. */
  id: string
  /** Text of the CID at the source; undefined if the source has none. */
  cid: string | undefined
  name: string | undefined
  mimeType: string | undefined
  /** Whether the source states that the content is encrypted. */
  isEncrypted: boolean
  /** Size that the source states, in bytes. */
  sizeBytes: number | undefined
  /** Why the item cannot be imported. */
  error?: CairnError
}

/** What `transfer` needs. */
export type TransferContext = {
  client: Client
  signal: AbortSignal
  /** Called with the bytes received or read since the last call. */
  onBytes(bytes: number): void
}

/** Result of a transfer. */
export type Transferred = {
  cid: string
  /** Bytes sent to the network. */
  bytes: number
  /** Whether the account already had the content. */
  isPresent: boolean
  /** Why the stored content differs from that of the source. */
  problem?: CairnError
}

/** A place that content is imported from. */
export type ImportSource = {
  /** Identifies the source; a journal belongs to one. */
  readonly id: string
  items(signal: AbortSignal): AsyncIterable<ImportItem>
  /** Returns the size of an item in bytes, if it can be determined without a transfer. */
  measure(item: ImportItem, signal: AbortSignal): Promise<number | undefined>
  /** Stores an item in the account of the client. The result is durable and has the CID of the item. */
  transfer(item: ImportItem, context: TransferContext): Promise<Transferred>
  /** Removes local copies, after the journal has recorded the item. */
  release?(item: ImportItem): Promise<void>
}
