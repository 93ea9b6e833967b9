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

/** The content that indexers, and a Kubo of the operator, were notified of. */
export type AnnouncementTables = {
  announced_upload: AnnouncedUploadTable
  handed_root: HandedRootTable
  announcement: AnnouncementTable
  ipni_chain: IpniChainTable
  ipni_ad: IpniAdTable
  ipni_chunk: IpniChunkTable
}
