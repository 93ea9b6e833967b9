import type { Generated } from 'kysely'

// Times are integer milliseconds since 1970, sizes integer bytes, ids text (UUIDv7) unless stated otherwise. Every
// integer is a number (checked to be exact) except pack ids, which are bigints.

/** An account: a wallet address (EVM in lower case, or Solana in base58) and its storage limit. */
type AccountTable = {
  address: string
  created_at: number
  data_limit_bytes: number
  data_used_bytes: number
  reserved_bytes: number
  /** The free part of the limit; null while the account waits for it. */
  free_bytes: Generated<number | null>
  /** Number of the account's rows in `upload`, so that a listing need not count them. */
  upload_count: Generated<number>
  /** Number of events ever recorded: the sequence of the newest. */
  event_count: Generated<number>
  /** When the operator blocked it, and the reason; null for an account that is not blocked. */
  blocked_at: Generated<number | null>
  block_reason: Generated<string | null>
}

/** Bytes that all accounts store or reserve beyond what was paid for: one row. */
type FreeStorageTable = { one: number; used_bytes: number }

/** Free accounts opened per day (days since 1970) and caller, under a pseudonym of that day. */
type FreeAccountDayTable = { day: number; asker: string; accounts: number }

/**
 * A message for a wallet to sign; spent once `used_at` is set. `purpose` is `key`, `upload` or `either`; `api-key`
 * before the text named it. `key_grant` holds the rights of an API key created with it, as JSON.
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

/** A text that was used to sign in. Kept until no replica would accept it any more. */
type SpentSignInTable = { address: string; id: string; kept_until: number }

/** An API key: `id` is the public part for look-ups, `secret_hash` the hash of the rest, `scopes` a JSON array. */
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
 * - `pending`: its rows were written ahead of its upload, which is in progress;
 * - `abandoned`: its upload was never acknowledged; it is removed after the grace period;
 * - `orphaned`: it was found without rows; it is kept and not read until it is imported;
 * - `recovered`: it is read, and kept until its content is listed for an account: it was imported, or belongs to an
 *   unfinished upload (`held_pack`).
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
  /** When all its blocks were last read and verified. */
  scrubbed_at: number | null
  /** 1 if all of it is in pieces. */
  is_pieced: Generated<number>
  hold: PackHold | null
  /** When its object was found missing; null while the object exists. */
  missing_at: number | null
  /** The merged pack whose object holds it; null while it has its own object. Then `object_key` names none. */
  merged_id: Generated<bigint | null>
  /**
   * Of a pack in a merged one: distance of its bytes from their offsets in a pack of its own. Of a merged pack: offset
   * of its manifest.
   */
  merged_offset_bytes: Generated<number | null>
  /** 1 for a merged pack. It has no blocks and no uploads of its own. */
  is_merged: Generated<0 | 1>
}

/** Location of a block's payload. The same block may be in several packs. */
type BlockTable = {
  multihash: Uint8Array
  pack_id: bigint
  offset_bytes: number
  length_bytes: number
  /** When its bytes were found to differ from its hash; null while they match. */
  damaged_at: number | null
}

type UploadKind = 'file' | 'directory' | 'car'

/** One stored upload. */
export type UploadTable = {
  id: string
  address: string
  /** As returned to the client. */
  cid: string
  root_multihash: Uint8Array
  name: string
  mime_type: string | null
  /** Bytes of the file, or of all files in the folder. */
  size_bytes: number
  /** Bytes of all blocks of the DAG. */
  dag_size_bytes: number
  /** 1 if the client encrypted it. */
  encryption: 0 | 1
  storage_type: string | null
  kind: UploadKind
  status: string
  created_at: number
  updated_at: number
  tx_hash: Generated<string>
  /** Its row in `upload_search`; null until it is indexed. SQLite only. */
  search_number: Generated<bigint | null>
  /** Tokens of its name and CID; null until it is indexed. PostgreSQL only. */
  search_tokens: Generated<number[] | null>
}

/** The text index of SQLite. `tokens` can only be searched, not read. */
type UploadSearchTable = { rowid: bigint; tokens: string }

/** The packs that an upload needs: its own, and those that already held some of its blocks. */
type UploadPackTable = { upload_id: string; pack_id: bigint }

/** Quota reserved for an upload in progress in one process. */
type ReservationTable = {
  id: string
  address: string
  bytes: number
  process_id: string
  created_at: number
  expires_at: number
}

/**
 * One row. `name` is the id that the pack folder carries too; `removals` grows with every removed pack, `denials` with every
 * change of the operator's denylist, so that replicas clear their caches.
 */
type StoreTable = {
  id: bigint
  name: string
  created_at: number
  removals: number
  denials: number
  /** Id of the secret that all replicas use; null before the first start on PostgreSQL. */
  secret_check: Generated<string | null>
}

/** When the bucket of a caller of a call is full again. The name is a pseudonym. */
type CallRateTable = { name: string; full_at: number }

/** An action of an operator. Rows are only ever added. `before` and `after` are JSON. */
type AuditEntryTable = {
  id: string
  created_at: number
  /** Operating system user. */
  actor: string
  action: string
  /** The subject of the action: an account, a CID, a deal. */
  subject: string
  reason: string | null
  before: string | null
  after: string | null
}

/** A rule of the operator's own denylist, a line in the compact format. */
type DenialTable = { rule: string; position: number; reason: string; created_at: number }

/** An object that is removed because its record was dropped, from `created_at` on. */
type DoomedObjectTable = { object_key: string; created_at: number }

/** The holder of a job that only one replica may run. `fence` grows each time the holder changes. */
type LeaseTable = { name: string; owner: string; expires_at: number; fence: number }

/** State of a payment: `unpriced` waits for a price, `refused` buys nothing, for the stored reason. */
export type PaymentState = 'seen' | 'unpriced' | 'credited' | 'refused' | 'orphaned'

/** One payment event of a chain; unique per (chain, transaction, ordinal within it). */
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
  /** The account that receives the storage. */
  address: string
  /** Contract of the token; empty for the chain's own coin. */
  token: string
  /** `native`, a stablecoin's name, or empty for a token that is not configured. */
  coin: string
  /** Smallest units, decimal. */
  units: string
  state: PaymentState
  reason: string | null
  /** Price at which it was credited: `price / 10^price_decimals` dollars per coin. */
  price: string | null
  price_decimals: number | null
  price_source: string | null
  bytes: number | null
  created_at: number
  updated_at: number
  credited_at: number | null
}

/** Changes of an account's limit. Rows are only ever added; their sum is the limit. */
type LedgerEntryTable = {
  id: string
  address: string
  kind: 'allowance' | 'payment' | 'adjustment'
  /** The cause: each is entered only once. */
  cause: string
  bytes: number
  note: string
  created_at: number
}

/** How far a chain was read. */
type ChainCursorTable = {
  chain_id: number
  contract: string
  final_block: number
  final_hash: string
  head_block: number
  checked_at: number
  /** Why nothing is credited at present; null otherwise. */
  fault: string | null
}

/** Result of a check of the books. */
type ReportTable = { id: string; kind: string; created_at: number; findings: number; body: string }

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
export type DealState = 'queued' | 'offered' | 'kept' | 'proving' | 'faulted' | 'failed' | 'ended'

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
  nonce: string
  nonce_source: string
  leaf_count: number
  answer: string | null
}

/** The last number that was assigned to a deal. */
type DealCounterTable = { name: string; last: number }

/** Number of providers that an account requested, if it did. */
type CopyPolicyTable = { address: string; copies: number; updated_at: number }

/**
 * A name and its newest known record. The row outlives its record: `sequence` is the greatest ever seen, and no older
 * record is accepted. `lifetime_ms` and `renew_at` are set while the service renews the record.
 */
type IpnsNameTable = {
  name: string
  /**
   * `account`: on a list. `unlisted`: was on one; its record is deleted when it expires, its sequence is kept.
   * `foreign`: never belonged to an account; the whole row is deleted when it expires.
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

/**
 * A name on the list of an account. `seal` is its key, sealed by the named secret; null when the owner keeps the key.
 */
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

/** History of a listed name. A renewal replaces the record that it renews. */
type NameRecordTable = {
  name: string
  sequence: string
  value: string
  record: Uint8Array
  valid_until: number
  published_at: number
}

/**
 * A resumable upload. The reservation with its id holds its quota. `writer` is the request or import that works on
 * it, until `writer_until`.
 */
export type ResumableUploadTable = {
  id: string
  address: string
  length_bytes: number
  offset_bytes: number
  /** `Upload-Metadata` as sent. */
  metadata: string
  state: 'receiving' | 'received' | 'stored' | 'failed'
  /** The stored result, as JSON. */
  result: string | null
  /** Why it failed: code, message and hint as JSON. */
  error: string | null
  writer: string | null
  writer_until: number | null
  /** Attempts to store it, and when the next is due. */
  tries: number
  retry_at: number
  created_at: number
  expires_at: number
  /** The upload link that it came through; null for an upload with an API key. */
  upload_link_id: string | null
  /** Random text of the client with which it can repeat the call that created it, after the id of the link. */
  idempotency_key: string | null
}

/**
 * Progress of a resumable upload whose bytes become content as they come. Its row in `resumable_upload` stays at the
 * offset 0 until it ends, which is what replicas of an earlier version can continue from.
 */
type ResumableImportTable = {
  upload_id: string
  /** Bytes that are durable. */
  offset_bytes: number
  /** The subtrees of the file that no node links to yet, as JSON. */
  levels: string
  /** Bytes of the incomplete chunk. */
  tail: Uint8Array
  /** First bytes of the file, from which its type is detected. */
  start: Uint8Array
  /** How often bytes became durable. */
  parts: number
}

/** A pack that an unfinished upload needs. `is_own`: 1 if no other upload relies on it. */
type HeldPackTable = { holder_id: string; pack_id: bigint; is_own: 0 | 1 }

/** Bytes of a resumable upload, in an object. */
type ResumablePartTable = { upload_id: string; offset_bytes: number; size_bytes: number; object_key: string }

/**
 * A pin that was requested through the Pinning Service API. `owner` is the request or worker that works on it, until
 * `owner_until`.
 */
export type PinTable = {
  id: string
  address: string
  /** As given by the client, and as version 1 in base32. */
  cid: string
  cid_v1: string
  name: string | null
  name_lower: string | null
  /** JSON array of multiaddrs. */
  origins: string
  /** JSON object of strings. */
  meta: string
  status: 'queued' | 'pinning' | 'pinned' | 'failed'
  /** Details of the status, shown to the client. */
  details: string | null
  /** The upload of the pin. Its removal removes the pin. */
  upload_id: string | null
  /** The upload of the replaced pin, which stays until this one is pinned. */
  replaced_upload_id: string | null
  owner: string | null
  owner_until: number | null
  tries: number
  next_at: number
  /** Unique per account. */
  created_at: number
}

/** An access key of S3. `rules` is a JSON array; its secret is derived, never stored. */
type S3CredentialTable = { id: string; api_key_id: string; address: string; rules: string; created_at: number }

/** A bucket. `cors` is its CORS configuration as JSON. Names are unique across all accounts. */
type S3BucketTable = {
  name: string
  address: string
  cors: string | null
  tags: string | null
  /** Null until the owner sets it. */
  versioning: 'Enabled' | 'Suspended' | null
  /** Number of changes of the bucket's objects. */
  revision: Generated<number>
  /** Name of the account that the bucket is published under. Kept while it is not published. */
  ipns_name: string | null
  /** Upload of the folder that the name points to. */
  root_upload_id: string | null
  /** Upload of the folder before that, until the name points to the new one. */
  previous_root_id: string | null
  /** The revision that the name points to; null while the bucket is not published. */
  published_revision: number | null
  /** Code of the error of the last attempt to publish. */
  publish_error: string | null
  created_at: number
}

/**
 * A version of an object. `version_id` is the id of its upload; removing the upload removes the row. `headers`, `metadata`,
 * `checksum`, `part_sizes` and `tags` are JSON.
 */
export type S3ObjectTable = {
  bucket: string
  key: string
  version_id: string
  /** 1 for the latest version of the key. */
  is_latest: 0 | 1
  /** 1 for the version that S3 calls `null`: the one written without versioning. */
  is_null: 0 | 1
  cid: string
  size_bytes: number
  etag: string
  headers: string
  metadata: string
  checksum: string | null
  part_sizes: string | null
  tags: string | null
  created_at: number
}

/** A delete marker: a version without content, which hides the versions before it. */
export type S3DeleteMarkerTable = {
  bucket: string
  key: string
  version_id: string
  is_null: 0 | 1
  created_at: number
}

/** A multipart upload in progress. The reservation with its id covers its parts. */
export type S3MultipartTable = {
  id: string
  bucket: string
  key: string
  address: string
  headers: string
  metadata: string
  tags: string | null
  checksum_algorithm: string | null
  checksum_type: string | null
  created_at: number
  expires_at: number
}

/** A part of a multipart upload: an object of the store. `checksum` is JSON. */
export type S3PartTable = {
  upload_id: string
  part_number: number
  size_bytes: number
  etag: string
  checksum: string | null
  object_key: string
  created_at: number
}

/** An event of an account. Sequences start at 1 and have no gaps. `data` is a flat JSON object. */
type AccountEventTable = {
  address: string
  sequence: number
  id: string
  type: string
  data: string
  created_at: number
}

/** An event of an aggregate that is being recorded for its accounts, in the order of their addresses. */
type AggregateEventTable = {
  id: string
  aggregate_id: string
  type: string
  data: string
  created_at: number
  /** The last account that has it; empty at first. */
  after_address: string
}

/**
 * A webhook. `types` is a JSON array; `seal` is its secret, sealed by the named secret of the service. `cursor` is the
 * sequence of the last event that was queued or skipped.
 */
export type WebhookTable = {
  id: string
  address: string
  url: string
  types: string
  description: string
  seal: Uint8Array
  secret_id: string
  is_enabled: 0 | 1
  disabled_reason: string | null
  failing_since: number | null
  cursor: number
  missed_events: number
  created_at: number
}

/** An event for a webhook. `owner` is the worker that sends it, until `owner_until`. */
export type WebhookDeliveryTable = {
  webhook_id: string
  sequence: number
  event_id: string
  type: string
  body: string
  state: 'pending' | 'delivered' | 'failed'
  tries: number
  next_at: number
  owner: string | null
  owner_until: number | null
  last_status: number | null
  last_error: string | null
  /** Time of the event. */
  created_at: number
  updated_at: number
}

/**
 * A link to an encrypted file. The hashes are of tokens of 32 bytes that visitors send; `sealed` is the file key, which only
 * the link opens, and null once the link ended or was revoked. Ended rows stay for a while, for the owner.
 */
export type LinkTable = {
  id: string
  address: string
  cid: string
  label: string
  sealed: string | null
  token_hash: Uint8Array
  password_hash: Uint8Array | null
  max_opens: number
  opens: number
  failures: number
  created_at: number
  expires_at: number
  last_opened_at: number | null
  revoked_at: number | null
}

/**
 * A link to upload files to the account. `uploads` and `uploaded_bytes` count stored files; uploads in progress are rows of
 * `resumable_upload`. `content_types` is a JSON array.
 */
export type UploadLinkTable = {
  id: string
  address: string
  label: string
  secret_hash: Uint8Array
  max_file_bytes: number
  max_total_bytes: number
  max_uploads: number
  content_types: string
  uploads: number
  uploaded_bytes: number
  created_at: number
  expires_at: number
  last_used_at: number | null
  revoked_at: number | null
}

/** A setting that the operator changed with `cairn-admin`; the newest row of a name applies. */
type OperatorSettingTable = {
  name: string
  effective_at: number
  /** Null means the value of the service's settings. */
  value: string | null
}
/** An upload that is announced to indexers while it exists. */
type AnnouncedUploadTable = { upload_id: string; root_multihash: Uint8Array }

/** A root that is handed to the operator's Kubo, and the outcome. */
type HandedRootTable = {
  root_multihash: Uint8Array
  cid: string
  /** 1 if Kubo has it pinned. */
  is_handed: 0 | 1
  /** When the worker looks at it; null if nothing is to be done. */
  due_at: number | null
  /** Failures in a row. */
  tries: number
  /** The last failure. */
  error: string | null
}

/** Content that is announced or was. It is checked at `due_at`; null when nothing is left to do. */
type AnnouncementTable = { root_multihash: Uint8Array; cid: string; is_listed: 0 | 1; due_at: number | null }

/** The chain of advertisements: one row. `generation` grows each time that a new chain replaces it. */
type IpniChainTable = { one: number; generation: number; peer_id: string; head: string | null; length: number }

/** An advertisement. Sequences start at 1 and have no gaps. */
type IpniAdTable = { cid: string; sequence: number; data: Uint8Array; created_at: number }

/** A part of the list of blocks of announced content. */
type IpniChunkTable = { root_multihash: Uint8Array; position: number; cid: string; data: Uint8Array }

/** Applied migrations. */
type MigrationTable = { name: string; applied_at: number }

/** The private index of an account, encrypted by its clients. `part_count` and `size_bytes` are those of its parts. */
type DriveTable = { address: string; revision: number; part_count: number; size_bytes: number; updated_at: number }

/** A part of a drive: a change, or several that a client merged. The parts of a drive cover each revision once. */
type DrivePartTable = {
  address: string
  first_revision: number
  last_revision: number
  data: Uint8Array
  created_at: number
}

/** Bytes that the gateway sent of stored content; days since 1970, in UTC. */
type EgressTable = { day: number; root_multihash: Uint8Array; bytes: number }

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
  upload_search: UploadSearchTable
  upload_pack: UploadPackTable
  reservation: ReservationTable
  store: StoreTable
  call_rate: CallRateTable
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
  resumable_import: ResumableImportTable
  held_pack: HeldPackTable
  pin: PinTable
  audit_entry: AuditEntryTable
  denial: DenialTable
  s3_credential: S3CredentialTable
  s3_bucket: S3BucketTable
  s3_object: S3ObjectTable
  s3_delete_marker: S3DeleteMarkerTable
  s3_multipart: S3MultipartTable
  s3_part: S3PartTable
  account_event: AccountEventTable
  aggregate_event: AggregateEventTable
  webhook: WebhookTable
  webhook_delivery: WebhookDeliveryTable
  link: LinkTable
  upload_link: UploadLinkTable
  operator_setting: OperatorSettingTable
  drive: DriveTable
  drive_part: DrivePartTable
  egress: EgressTable
  announced_upload: AnnouncedUploadTable
  handed_root: HandedRootTable
  announcement: AnnouncementTable
  ipni_chain: IpniChainTable
  ipni_ad: IpniAdTable
  ipni_chunk: IpniChunkTable
  migration: MigrationTable
}
