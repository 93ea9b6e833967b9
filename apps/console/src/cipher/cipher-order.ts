import type { CairnError, EncryptSettings, NetworkProfile, Progress } from '@cairn/sdk'

/** Messages to the worker. One file at a time. */
export type CipherOrder =
  | { kind: 'decrypt'; network: NetworkProfile; cid: string; masterKey: string }
  /** Decrypts into a file that the user chose, with flat memory. */
  | { kind: 'save'; network: NetworkProfile; cid: string; masterKey: string; target: FileSystemFileHandle }
  | { kind: 'encrypt'; blob: Blob; masterKey: string; settings: EncryptSettings }
  /** Requests the next encrypted chunk: the worker runs only as fast as its chunks are consumed. */
  | { kind: 'next' }

/** Messages from the worker. */
export type CipherEvent =
  | { kind: 'progress'; progress: Progress }
  | { kind: 'decrypted'; blob: Blob }
  | { kind: 'saved' }
  | { kind: 'piece'; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'end' }
  | { kind: 'failed'; error: ReturnType<CairnError['toJSON']> }
