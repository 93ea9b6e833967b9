import type { Generated } from 'kysely'

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
  /** 1 if its content is served to its owner and through signed links only. */
  is_private: Generated<0 | 1>
  /** With which its client can repeat the request that stored it, hashed; null without one, and for further roots of an upload. */
  idempotency_key: Generated<Uint8Array | null>
  /** The upload link that it came through; null for an upload of the account itself. */
  upload_link_id: Generated<string | null>
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

/** Bytes of a resumable upload, in an object. */
type ResumablePartTable = { upload_id: string; offset_bytes: number; size_bytes: number; object_key: string }

/** A thumbnail of an encrypted picture, encrypted by its client. */
type ThumbnailTable = { upload_id: string; data: Uint8Array; created_at: number }

/** A tag that published clients find an upload by. */
type UploadTagTable = { address: string; tag: string; upload_id: string; created_at: number }

/** Uploads, finished and in progress. */
export type UploadTables = {
  upload: UploadTable
  upload_search: UploadSearchTable
  upload_pack: UploadPackTable
  reservation: ReservationTable
  resumable_upload: ResumableUploadTable
  resumable_import: ResumableImportTable
  resumable_part: ResumablePartTable
  thumbnail: ThumbnailTable
  upload_tag: UploadTagTable
}
