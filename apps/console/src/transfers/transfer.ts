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
  | 'cancelled'

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
  /** For a failed upload: all of it was sent, but it is unknown whether it was stored. */
  readonly isUnclear: boolean
  /** For finished uploads. */
  readonly cid: string | undefined
  /** What a paused transfer needs: permission to read its file, or the file or folder itself. */
  readonly need: PausedNeed | undefined
  readonly canPause: boolean
}

/**
 * What paused work needs in order to resume. `resume`: one click; `session`: a sign-in, because its session ended; the others:
 * what work of an earlier page needs.
 */
export type PausedNeed = 'resume' | 'session' | 'continue' | 'file' | 'folder' | 'repair'
