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

/** What became of a payment: `unpriced` waits for a price, `refused` buys nothing for the reason given. */
export type PaymentState = 'seen' | 'unpriced' | 'credited' | 'refused' | 'orphaned'

/** One payment event of a chain; once for each (chain, transaction, ordinal within it). */
type PaymentTable = {
  id: string
  network: string
  chain_id: number
  tx_hash: string
  ordinal: number
  block_number: number
  block_hash: string
  block_time: number
  payer: string
  /** The account that gets the storage. */
  address: string
  /** Contract of the token; empty for the chain's own coin. */
  token: string
  /** `native`, a stablecoin's name, or empty for a token nobody configured. */
  coin: string
  /** Smallest units, decimal. */
  units: string
  state: PaymentState
  reason: string | null
  /** Price it was credited at: `price / 10^price_decimals` dollars for a coin. */
  price: string | null
  price_decimals: number | null
  price_source: string | null
  bytes: number | null
  created_at: number
  updated_at: number
  credited_at: number | null
}

/** What changed the limit of an account. Rows are only ever added; their sum is the limit. */
type LedgerEntryTable = {
  id: string
  address: string
  kind: 'allowance' | 'payment' | 'adjustment'
  /** What it was for: nothing is entered twice. */
  cause: string
  bytes: number
  note: string
  created_at: number
}

/** How far a chain was read for good. */
type ChainCursorTable = {
  chain_id: number
  contract: string
  final_block: number
  final_hash: string
  head_block: number
  checked_at: number
  /** Why nothing is credited at the moment; null while all is well. */
  fault: string | null
}

/** What a check of the books found. */
type ReportTable = { id: string; kind: string; created_at: number; findings: number; body: string }

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
  payment: PaymentTable
  ledger_entry: LedgerEntryTable
  chain_cursor: ChainCursorTable
  report: ReportTable
  migration: MigrationTable
}
