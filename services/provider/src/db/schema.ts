import type { PieceState } from '@cairn/protocol'

// Times are integer milliseconds since 1970.

/** A piece that was offered. */
export type PieceTable = {
  /** Piece CID of version 2, in its canonical form. */
  cid: string
  state: PieceState
  payload_bytes: number
  /** Ranges of the payload that are fetched and stored, as `content-ranges.ts` writes them; null for all of it. */
  content: string | null
  /** How many bytes they are. */
  content_bytes: number
  /** Where it is fetched from, and what that needs to know, sealed; null once it is kept or could not be had. */
  url: string
  authorization: Uint8Array | null
  offered_at: number
  /** Tries in a row that brought nothing. */
  tries: number
  /** When the next try is due. */
  next_try_at: number
  kept_since: number | null
  error_code: string | null
  error_message: string | null
  last_read_at: number | null
  checked_at: number | null
}

/** Whose folder this is: one row. */
type ProviderTable = { id: number; public_key: string }

export type Schema = {
  migration: { name: string; applied_at: number }
  provider: ProviderTable
  piece: PieceTable
}
