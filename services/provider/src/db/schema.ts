import type { PieceState } from '@cairn/protocol'

// Times are integer milliseconds since 1970.

/** An offered piece. */
export type PieceTable = {
  /** Piece CID of version 2, in its canonical form. */
  cid: string
  state: PieceState
  payload_bytes: number
  /** Fetched and stored ranges of the payload, in the format of `content-ranges.ts`; null for the whole payload. */
  content: string | null
  /** Total bytes of these ranges. */
  content_bytes: number
  /** The source, and its credentials, sealed; null once the piece is kept or has failed. */
  url: string
  authorization: Uint8Array | null
  offered_at: number
  /** Consecutive attempts without progress. */
  tries: number
  /** When the next attempt is due. */
  next_try_at: number
  kept_since: number | null
  error_code: string | null
  error_message: string | null
  last_read_at: number | null
  checked_at: number | null
}

/** The owner of this folder: one row. */
type ProviderTable = { id: number; public_key: string }

export type Schema = {
  migration: { name: string; applied_at: number }
  provider: ProviderTable
  piece: PieceTable
}
