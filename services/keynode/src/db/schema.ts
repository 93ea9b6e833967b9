// Times are integer milliseconds since 1970. Addresses and CIDs are in the form they are compared in.

/** A challenge whose nonce was used, by address and id: it opens nothing a second time. */
type SpentChallengeTable = { id: string; address: string; expires_at: number }

/** A proof of a session key that was seen: it is good once. */
type SeenProofTable = { id: string; expires_at: number }

/**
 * A session and all that is renewed from it: one row. `turn` numbers the refresh token in force; the one before is answered
 * again for a minute after `rotated_at`. Renewed or not, it is over at `ends_at`.
 */
type SessionTable = {
  id: string
  address: string
  challenge_id: string
  /** did:key that requests are signed with; null for bearers of published clients. */
  session_key: string | null
  /** `save`: good for saving keys and nothing else. */
  purpose: 'save' | null
  turn: number
  rotated_at: number
  ends_at: number
  expires_at: number
  ended_at: number | null
}

/** What a signature that is a bearer itself was used for, by address and id of its text: one request, which may be repeated for a minute. */
type BearerUseTable = {
  challenge_id: string
  request_hash: Uint8Array
  used_at: number
  expires_at: number
}

/** What this node holds about one file. */
type KeyTable = {
  cid: string
  /** As the owner wrote it, where that differs from the canonical form. */
  cid_as_given: string
  owner: string
  /** Who saved it first: what an address made counts towards its limit, whoever owns it now. */
  creator: string
  version: number
  state: 'provisional' | 'held' | 'retired'
  set_id: string
  /** JSON of the shard set, where the owner gave one. */
  shard_set: string | null
  /** The sealed payload; null once a retired key was destroyed. */
  sealed: Uint8Array | null
  /** Version at which it was sealed: part of the seal. */
  sealed_version: number
  /** JSON of the conditions, null where there are none. */
  conditions: string | null
  successor: string | null
  digest: string
  change_kind: 'save' | 'share' | 'revoke' | 'transfer' | 'conditions' | 'retire' | 'repair'
  change_id: string
  created_at: number
  updated_at: number
}

/** An address that a file is shared with. */
type SharedTable = { cid: string; address: string; created_at: number }

/** A set under the same CID that is not the one in force: one that is being saved, or the one before. */
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

/** Every change of a file, in order: what its owner's retry is compared with, and what peers are told. */
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

/** Whose data this is: one row. */
type NodeTable = { id: number; name: string }

/** Which migrations have run. */
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
  change: ChangeTable
  node: NodeTable
  migration: MigrationTable
}
