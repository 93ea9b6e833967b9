/** Several pieces in one, as stored by providers. `looked_at` is when its deals were last counted. */
type AggregateTable = {
  id: string
  /** Piece CID of version 2. */
  cid: string
  root: Uint8Array
  height: number
  piece_count: number
  /** Required number of providers. */
  copies: number
  state: 'live' | 'ending'
  created_at: number
  looked_at: number
  /** When to look for providers; null when there are enough. */
  place_at: number | null
}

/** One or more packs, concatenated, and the commitment to their bytes. */
type PieceTable = {
  id: string
  cid: string
  root: Uint8Array
  height: number
  payload_bytes: number
  copies: number
  /** Object with the stored nodes of its tree; null when the tree is only a root. */
  tree_key: string | null
  created_at: number
  aggregate_id: string | null
  /** Position among the aggregate's pieces, from 0. */
  position: number | null
}

/** Location of a pack, or a part of a large one, in a piece. The pack itself may be removed. */
type PiecePackTable = {
  pack_id: bigint
  /** Offset of the part in the pack. */
  pack_offset_bytes: number
  piece_id: string
  offset_bytes: number
  size_bytes: number
  object_key: string
}

/**
 * `queued`: to be offered. `offered`: the provider fetches it. `kept`: the provider reports that it has it.
 * `proving`: the provider proved it. `faulted`: the provider had it and could not prove it. `failed`: the provider
 * never had it. `ended`: it is no longer needed.
 */
type DealState = 'queued' | 'offered' | 'kept' | 'proving' | 'faulted' | 'failed' | 'ended'

/** An aggregate at a provider. */
type DealTable = {
  number: number
  aggregate_id: string
  /** Name of the provider in the configuration. */
  provider: string
  /** The public key that its proofs are signed with. */
  provider_key: string | null
  state: DealState
  since: number
  created_at: number
  kept_at: number | null
  proven_at: number | null
  /** When the next step is due. */
  next_at: number
  tries: number
  proofs: number
  faults: number
  /** SHA-256 of the token that the provider fetches with. */
  token_hash: Uint8Array | null
  error: string | null
  /** Code and values of the error, as JSON. */
  error_facts: string | null
  /** The open challenge: its nonce in hex, and its source. Null once it was answered. */
  challenge_nonce: string | null
  challenge_source: string | null
  /** When the open challenge was first left unanswered. */
  silent_since: number | null
}

/** A challenge to a provider and its result. `answer` is the signed proof as JSON, kept for the newest. */
type PossessionCheckTable = {
  id: string
  deal_number: number
  asked_at: number
  outcome: 'proved' | 'wrong' | 'silent'
  reason: string | null
  /** Code and values of the reason, as JSON. */
  reason_facts: string | null
  nonce: string
  nonce_source: string
  leaf_count: number
  answer: string | null
}

/** The last number that was assigned to a deal. */
type DealCounterTable = { name: string; last: number }

/** Number of providers that an account requested, if it did. */
type CopyPolicyTable = { address: string; copies: number; updated_at: number }

/** Pieces of packs, and their deals with providers. */
export type DealTables = {
  aggregate: AggregateTable
  piece: PieceTable
  piece_pack: PiecePackTable
  deal: DealTable
  possession_check: PossessionCheckTable
  deal_counter: DealCounterTable
  copy_policy: CopyPolicyTable
}
