import type { CairnError, NetworkProfile, Progress } from '@cairn/sdk'

/** What the worker is asked: which file, where, and with which key. */
export type DecryptOrder = { network: NetworkProfile; cid: string; masterKey: string }

/** What the worker tells. */
export type DecryptTold =
  | { kind: 'progress'; progress: Progress }
  | { kind: 'done'; blob: Blob }
  | { kind: 'failed'; error: ReturnType<CairnError['toJSON']> }
