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
  /** How much of the limit was given for free; null while the account waits for it. */
  free_bytes: Generated<number | null>
  /** Rows of this account in `upload`, so that a listing need not count them. */
  upload_count: Generated<number>
}

/** Bytes that all accounts store, or hold room for, beyond what was paid for: one row. */
type FreeStorageTable = { one: number; used_bytes: number }

/** Free accounts that were opened in a day (days since 1970) by who asks, under a pseudonym of that day. */
type FreeAccountDayTable = { day: number; asker: string; accounts: number }

/**
 * A message that a wallet was asked to sign; spent once `used_at` is set. `purpose` is `key`, `upload` or `either`; `api-key` before
 * the text said which. `key_grant` is what a key made with it may do, as JSON.
 */
type ChallengeTable = {
  nonce: string
  address: string
  purpose: string
  key_grant: string | null
  message: string
  created_at: number
  expires_at: number
  used_at: number | null
}

/** A text that was signed in with. Kept until no replica would take it any more. */
type SpentSignInTable = { address: string; id: string; kept_until: number }

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

/**
 * Why a pack without an upload is more than unreferenced:
 * - `pending`: its rows were written ahead of its upload, which is under way;
 * - `abandoned`: its upload was never acknowledged; it is removed after the grace time;
 * - `orphaned`: it was found without rows; it is kept and not read until it is taken in;
 * - `recovered`: it was taken in; it is read, and kept until its content is listed for an account.
 */
export type PackHold = 'pending' | 'abandoned' | 'orphaned' | 'recovered'

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
  /** 1 while all of it lies in pieces. */
  is_pieced: Generated<number>
  hold: PackHold | null
  /** When its object was found to be missing; null while the object exists. */
  missing_at: number | null
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

/** One row. `name` is the id that the pack folder carries too; `removals` grows with every removed pack, so that replicas clear their caches. */
type StoreTable = { id: bigint; name: string; created_at: number; removals: number }

/** An object that is being removed because its record was dropped. */
type DoomedObjectTable = { object_key: string; created_at: number }

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

/** Many pieces in one: what providers are given. `looked_at` is when its deals were last counted. */
type AggregateTable = {
  id: string
  /** Piece CID of version 2. */
  cid: string
  root: Uint8Array
  height: number
  piece_count: number
  /** How many providers are to keep it. */
  copies: number
  state: 'live' | 'ending'
  created_at: number
  looked_at: number
  /** When to look for providers; null where there are enough. */
  place_at: number | null
}

/** One or more packs, one after the other, and the commitment to their bytes. */
type PieceTable = {
  id: string
  cid: string
  root: Uint8Array
  height: number
  payload_bytes: number
  copies: number
  /** Object that holds the nodes kept of its tree; null where the root is all. */
  tree_key: string | null
  created_at: number
  aggregate_id: string | null
  /** Which of the aggregate's pieces, counted from 0. */
  position: number | null
}

/** Where a pack, or a part of a large one, lies in a piece. The pack itself may be gone. */
type PiecePackTable = {
  pack_id: bigint
  /** Where the part begins in the pack. */
  pack_offset_bytes: number
  piece_id: string
  offset_bytes: number
  size_bytes: number
  object_key: string
}

/**
 * `queued`: to be offered. `offered`: the provider fetches it. `kept`: it says that it has it. `proving`: it proved so.
 * `faulted`: it had it and could not prove it. `failed`: it never had it. `ended`: it is not needed any more.
 */
export type DealState = 'queued' | 'offered' | 'kept' | 'proving' | 'faulted' | 'failed' | 'ended'

/** An aggregate at a provider. */
type DealTable = {
  number: number
  aggregate_id: string
  /** Name of the provider in the configuration. */
  provider: string
  /** The public key its proofs are signed with. */
  provider_key: string | null
  state: DealState
  since: number
  created_at: number
  kept_at: number | null
  proven_at: number | null
  /** When something is to be done for it again. */
  next_at: number
  tries: number
  proofs: number
  faults: number
  /** SHA-256 of the token the provider fetches with. */
  token_hash: Uint8Array | null
  error: string | null
  /** The challenge that is open: its nonce in hex and where it came from. Null once it was answered. */
  challenge_nonce: string | null
  challenge_source: string | null
  /** When the open challenge was first left without an answer. */
  silent_since: number | null
}

/** A challenge to a provider and what came of it. `answer` is the signed proof as JSON, kept for the newest. */
type PossessionCheckTable = {
  id: string
  deal_number: number
  asked_at: number
  outcome: 'proved' | 'wrong' | 'silent'
  reason: string | null
  nonce: string
  nonce_source: string
  leaf_count: number
  answer: string | null
}

/** The last number given, of deals. */
type DealCounterTable = { name: string; last: number }

/** How many providers an account wants its files with, where it said so. */
type CopyPolicyTable = { address: string; copies: number; updated_at: number }

/**
 * A name and the newest record known of it. The row outlives its record: `sequence` is the greatest ever seen, and no older
 * record is taken again. `lifetime_ms` and `renew_at` are there while the service renews the record.
 */
type IpnsNameTable = {
  name: string
  /**
   * `account`: on a list. `unlisted`: it was on one; its record goes when it ends, its sequence stays. `foreign`: no account
   * ever had it; all of it goes then.
   */
  origin: 'account' | 'unlisted' | 'foreign'
  /** 20 digits, so that text sorts as the number. */
  sequence: string | null
  value: string | null
  record: Uint8Array | null
  valid_until: number | null
  ttl_ms: number | null
  lifetime_ms: number | null
  renew_at: number | null
  created_at: number
  updated_at: number
}

/** A name on the list of an account. `seal` is its key, sealed by the secret named; null where the owner keeps it. */
type NameEntryTable = {
  id: string
  address: string
  name: string
  label: string | null
  seal: Uint8Array | null
  secret_id: string | null
  created_at: number
  updated_at: number
}

/** What a name on a list pointed to. A renewal replaces the record that it renews. */
type NameRecordTable = {
  name: string
  sequence: string
  value: string
  record: Uint8Array
  valid_until: number
  published_at: number
}

/**
 * An upload whose bytes come in parts. The room it takes is held by the reservation of its id. `writer` is the request or
 * import that works on it, until `writer_until`.
 */
export type ResumableUploadTable = {
  id: string
  address: string
  length_bytes: number
  offset_bytes: number
  /** `Upload-Metadata` as it was sent. */
  metadata: string
  state: 'receiving' | 'received' | 'stored' | 'failed'
  /** What was stored, as JSON. */
  result: string | null
  /** Why it failed: code, message and hint as JSON. */
  error: string | null
  writer: string | null
  writer_until: number | null
  /** Tries to store it, and when the next is due. */
  tries: number
  retry_at: number
  created_at: number
  expires_at: number
}

/** Bytes of such an upload: an object. */
type ResumablePartTable = { upload_id: string; offset_bytes: number; size_bytes: number; object_key: string }

/** Which migrations have run. */
type MigrationTable = { name: string; applied_at: number }

/** Every table of the storage service. */
export type Schema = {
  account: AccountTable
  free_storage: FreeStorageTable
  free_account_day: FreeAccountDayTable
  challenge: ChallengeTable
  spent_sign_in: SpentSignInTable
  api_key: ApiKeyTable
  pack: PackTable
  block: BlockTable
  upload: UploadTable
  upload_pack: UploadPackTable
  reservation: ReservationTable
  store: StoreTable
  doomed_object: DoomedObjectTable
  lease: LeaseTable
  payment: PaymentTable
  ledger_entry: LedgerEntryTable
  chain_cursor: ChainCursorTable
  report: ReportTable
  aggregate: AggregateTable
  piece: PieceTable
  piece_pack: PiecePackTable
  deal: DealTable
  deal_counter: DealCounterTable
  possession_check: PossessionCheckTable
  copy_policy: CopyPolicyTable
  ipns_name: IpnsNameTable
  name_entry: NameEntryTable
  name_record: NameRecordTable
  resumable_upload: ResumableUploadTable
  resumable_part: ResumablePartTable
  migration: MigrationTable
}
