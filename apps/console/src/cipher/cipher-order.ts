import type { CairnError, EncryptSettings, NetworkProfile, Progress } from '@cairn/sdk'

/** What the worker is asked. One file at a time. */
export type CipherOrder =
  | { kind: 'decrypt'; network: NetworkProfile; cid: string; masterKey: string }
  | { kind: 'encrypt'; blob: Blob; masterKey: string; settings: EncryptSettings }
  /** The next piece of what is being encrypted: the worker goes only as fast as its pieces are taken. */
  | { kind: 'take' }

/** What the worker tells. */
export type CipherTold =
  | { kind: 'progress'; progress: Progress }
  | { kind: 'decrypted'; blob: Blob }
  | { kind: 'piece'; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'end' }
  | { kind: 'failed'; error: ReturnType<CairnError['toJSON']> }
