import type { Generated } from 'kysely'

// Times are integer milliseconds since 1970, sizes integer bytes, ids text (UUIDv7) unless said otherwise. Every
// integer is a number (checked to be exact) but the ids of packs, which are bigints.

/** An account: a wallet address (EVM in lower case, or Solana in base58) and what it may store. */
type AccountTable = {
  address: string
  created_at: number
  data_limit_bytes: number
  data_used_bytes: number
  reserved_bytes: number
  /** Rows of this account in `upload`, so that a listing need not count them. */
  upload_count: Generated<number>
}

/** A message somebody was asked to sign; spent once `used_at` is set. */
type ChallengeTable = {
  nonce: string
  address: string
  purpose: string
  message: string
  created_at: number
  expires_at: number
  used_at: number | null
}

/** An API key: `id` is the public look-up part, `secret_hash` the hash of the rest, `scopes` a JSON array. */
type ApiKeyTable = {
  id: string
  address: string
  name: string
  secret_hash: Uint8Array
  scopes: string
  created_at: number
  expires_at: number | null
  last_used_at: number | null
  revoked_at: number | null
}

type PackState = 'live' | 'removing'

/** A pack: one CAR in the object store. `id` is a 63-bit time-ordered number. */
type PackTable = {
  id: bigint
  object_key: string
  size_bytes: number
  block_count: number
  state: PackState
  created_at: number
  /** Since when no upload needs it; null while one does. */
  unreferenced_at: number | null
  /** When all its blocks were last read and found right. */
  scrubbed_at: number | null
}

/** Where the payload of a block lies. The same block may lie in several packs. */
type BlockTable = {
  multihash: Uint8Array
  pack_id: bigint
  offset_bytes: number
  length_bytes: number
  /** When its bytes were found not to match its hash; null while they do. */
  damaged_at: number | null
}

type UploadKind = 'file' | 'directory' | 'car'

/** One thing a user stored. */
export type UploadTable = {
  id: string
  address: string
  /** As given to the client. */
  cid: string
  root_multihash: Uint8Array
  name: string
  mime_type: string | null
  /** Bytes of the file or of all files in the folder. */
  size_bytes: number
  /** Bytes of all blocks of the DAG. */
  dag_size_bytes: number
  /** 1 when the client encrypted it. */
  encryption: 0 | 1
  storage_type: string | null
  kind: UploadKind
  status: string
  created_at: number
  updated_at: number
  tx_hash: Generated<string>
}

/** Which packs an upload needs: its own and those that held some of its blocks already. */
type UploadPackTable = { upload_id: string; pack_id: bigint }

/** Room held for an upload under way by one process. */
type ReservationTable = {
  id: string
  address: string
  bytes: number
  process_id: string
  created_at: number
  expires_at: number
}

/** Who does a job that only one replica may do. `fence` grows each time the holder changes. */
type LeaseTable = { name: string; owner: string; expires_at: number; fence: number }

/** Which migrations have run. */
type MigrationTable = { name: string; applied_at: number }

/** Every table of the storage service. */
export type Schema = {
  account: AccountTable
  challenge: ChallengeTable
  api_key: ApiKeyTable
  pack: PackTable
  block: BlockTable
  upload: UploadTable
  upload_pack: UploadPackTable
  reservation: ReservationTable
  lease: LeaseTable
  migration: MigrationTable
}
