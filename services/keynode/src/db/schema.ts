import type { ColumnType } from 'kysely'

// Times are integer milliseconds since 1970. Addresses and CIDs are in canonical form.

/** A challenge whose nonce was used, by address and id: it cannot be used again. */
type SpentChallengeTable = { id: string; address: string; expires_at: number }

/** A used proof of a session key: each is valid once. */
type SeenProofTable = { id: string; expires_at: number }

/**
 * A session and all its renewals: one row. `turn` numbers the current refresh token; the previous one is accepted
 * again for a minute after `rotated_at`. Regardless of renewals, it expires at `ends_at`.
 */
type SessionTable = {
  id: string
  address: string
  challenge_id: string
  /** did:key that signs requests; null for bearers of published clients. */
  session_key: string | null
  /** `save`: valid only for saving keys. */
  purpose: 'save' | null
  turn: number
  rotated_at: number
  ends_at: number
  expires_at: number
  ended_at: number | null
}

/**
 * The use of a signature that is itself a bearer, by address and id of its text: one request, which may be repeated
 * for a minute.
 */
type BearerUseTable = {
  challenge_id: string
  request_hash: Uint8Array
  used_at: number
  expires_at: number
}

/** A node's data about one file. */
type KeyTable = {
  cid: string
  /** As written by the owner, when it differs from the canonical form. */
  cid_as_given: string
  owner: string
  /** The account that saved it first: created records count towards its limit, regardless of their current owner. */
  creator: string
  version: number
  state: 'provisional' | 'held' | 'retired'
  set_id: string
  /** JSON of the shard set, if the owner sent one. */
  shard_set: string | null
  /** The sealed payload; null once a retired key was destroyed. */
  sealed: Uint8Array | null
  /** Version at which it was sealed, as part of the seal. */
  sealed_version: number
  /** JSON of the conditions, null when there are none. */
  conditions: string | null
  successor: string | null
  digest: string
  change_kind: 'save' | 'share' | 'revoke' | 'transfer' | 'conditions' | 'retire' | 'repair'
  change_id: string
  created_at: number
  updated_at: number
  /** When it was restored from a backup; null once peers or the owner confirmed it. Until then it answers nothing. */
  restored_at: ColumnType<number | null, number | null | undefined>
}

/** An address that a file is shared with. */
type SharedTable = { cid: string; address: string; created_at: number }

/** A set under the same CID that is not in force: one that is being saved, or the previous one. */
type OtherSetTable = {
  cid: string
  set_id: string
  kind: 'pending' | 'previous'
  shard_set: string | null
  sealed: Uint8Array
  /** Bound into the seal with node, CID and owner. */
  owner: string
  version: number
  saved_at: number
}

/**
 * Parts of a spare set, saved together with the set `set_id`. There may be no record: a new node receives its shard of
 * the spare set first.
 */
type SpareTable = {
  cid: string
  set_id: string
  /** Id of the spare set. */
  spare_id: string
  /** JSON of the spare set. */
  spare_set: string
  /** This node's parts, sealed; null on a node that replaced another. */
  parts: Uint8Array | null
  /** This node's shard of the spare set, sealed, once it was recovered. */
  shard: Uint8Array | null
  saved_at: number
}

/** Every change of a file, in order: compared with the owner's retries, and reported to peers. */
type ChangeTable = {
  cid: string
  seq: number
  version: number
  kind: KeyTable['change_kind']
  id: string
  by_address: string
  arguments: string
  at: number
}

/** How often an address received the shard of a file, or was refused, within one hour. */
type AccessTable = {
  /** The owner of the file at that time: the log is theirs. */
  owner: string
  cid: string
  address: string
  outcome: 'opened' | 'denied'
  /** Hours since 1970. */
  hour: number
  count: number
  first_at: number
  last_at: number
}

/** The node that owns this data: one row. */
type NodeTable = {
  id: number
  name: string
  /** The signing key, sealed with the present secret; null while it derives from it. */
  signing_seal: ColumnType<Uint8Array | null, Uint8Array | null | undefined>
  /** When it was last restored from a backup: challenges from before may have been used. */
  restored_at: ColumnType<number | null, number | null | undefined>
  /** Keys saved before this time receive new shards from the nodes; null unless the operator asked for it. */
  replace_until: ColumnType<number | null, number | null | undefined>
}

/** Applied migrations. */
type MigrationTable = { name: string; applied_at: number }

/** Every table of a key node. */
export type Schema = {
  spent_challenge: SpentChallengeTable
  seen_proof: SeenProofTable
  session: SessionTable
  bearer_use: BearerUseTable
  key: KeyTable
  shared: SharedTable
  other_set: OtherSetTable
  spare: SpareTable
  change: ChangeTable
  access: AccessTable
  node: NodeTable
  migration: MigrationTable
}
