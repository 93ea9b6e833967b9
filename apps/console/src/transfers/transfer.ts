import type { CairnError } from '@cairn/sdk'

/** Stage of a transfer, named after what it waits for. */
export type TransferStage =
  | 'waiting'
  /** Paused by the user, or left by an earlier page. */
  | 'paused'
  | 'offline'
  | 'checking'
  | 'encrypting'
  | 'keys'
  | 'sending'
  | 'storing'
  | 'saving'
  | 'working'
  | 'done'
  | 'failed'
  | 'canceled'

/** State of one of the five key nodes during a change. */
export type NodeState = 'waiting' | 'running' | 'done' | 'failed'

/** Background work across pages: an upload, a download that the page writes, or a change on the five key nodes. */
export type Transfer = {
  readonly id: number
  readonly name: string
  readonly kind: 'upload' | 'download' | 'change'
  readonly isEncrypted: boolean
  readonly stage: TransferStage
  readonly bytes: number
  /** Undefined if work is not counted in bytes. */
  readonly totalBytes: number | undefined
  readonly bytesPerSecond: number
  readonly remainingMs: number | undefined
  /** For changes: the five nodes. */
  readonly nodes: readonly NodeState[] | undefined
  readonly error: CairnError | undefined
  /** For a failed one: all of it was sent, and it is not known whether it was stored. */
  readonly isUnclear: boolean
  /** For finished uploads. */
  readonly cid: string | undefined
  /** What a paused transfer needs: permission to read its file, or the file or folder itself. */
  readonly need: PausedNeed | undefined
  readonly canPause: boolean
}

/**
 * What paused work needs to resume: `resume` is one click, `session` is a sign-in, because its session ended; the others are of
 * work that an earlier page left.
 */
export type PausedNeed = 'resume' | 'session' | 'continue' | 'file' | 'folder' | 'repair'
