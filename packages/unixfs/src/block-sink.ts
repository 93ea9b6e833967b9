import type { CID } from 'multiformats/cid'

/** Where imported blocks go. */
export type BlockSink = {
  /**
   * Hands out room for a block that is about to be made, so that its bytes are copied once. At most one region is
   * outstanding: the next `put` carries any part of it, and another `allocate` before that gives it up.
   */
  allocate?(sizeBytes: number): Uint8Array
  /**
   * Takes a block. `bytes` are valid until `put` returns or its promise settles; whoever keeps them longer copies them.
   * A promise is waited for before the next block, which is the backpressure of an import.
   */
  put(cid: CID, bytes: Uint8Array): void | Promise<void>
}

/** What an import came to. */
export type ImportedNode = {
  cid: CID
  /** Bytes of the file; 0 for folders and symbolic links. */
  fileSizeBytes: number
  /** Bytes of all blocks of the DAG, each counted as often as it is linked: Kubo's Size and Tsize. */
  dagSizeBytes: number
  kind: 'file' | 'directory' | 'symlink'
}
