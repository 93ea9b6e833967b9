import type { CID } from 'multiformats/cid'

/** Destination of imported blocks. */
export type BlockSink = {
  /**
   * Allocates a region for a new block, so that its bytes are copied once. At most one region is outstanding: the next
   * `put` passes any part of it, and another `allocate` before that discards it.
   */
  allocate?(sizeBytes: number): Uint8Array
  /**
   * Stores a block. `bytes` are valid until `put` returns or its promise settles; copy them to keep them longer. A
   * promise is awaited before the next block, which is the backpressure of an import.
   */
  put(cid: CID, bytes: Uint8Array): void | Promise<void>
}

/** Result of an import. */
export type ImportedNode = {
  cid: CID
  /** Size of the file in bytes; 0 for folders and symbolic links. */
  fileSizeBytes: number
  /** Bytes of all blocks of the DAG, each counted per link: Kubo's Size and Tsize. */
  dagSizeBytes: number
  kind: 'file' | 'directory' | 'symlink'
}
