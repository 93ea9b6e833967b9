import type { CairnError, NetworkProfile } from '@cairn/sdk'

/** Messages to the worker that decrypts ranges of one file. */
export type MediaOrder =
  | { kind: 'open'; network: NetworkProfile; cid: string; masterKey: string }
  /** Sends decrypted bytes through the port, as they are requested. */
  | { kind: 'serve'; port: MessagePort; fromByte: number; toByte: number }

/** Messages from that worker. */
export type MediaEvent =
  | { kind: 'opened'; sizeBytes: number }
  /** The file can only be verified as a whole, and its first bytes are not those of a recording. */
  | { kind: 'doubtful' }
  | { kind: 'failed'; error: ReturnType<CairnError['toJSON']> }

/** The answer of a port to each `next`. */
export type MediaPiece = { kind: 'bytes'; bytes: Uint8Array<ArrayBuffer> } | { kind: 'end' } | { kind: 'failed' }
