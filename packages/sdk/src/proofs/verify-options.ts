import type { OnProgress } from '../progress.ts'
import type { CallOptions } from '../request.ts'

/** Scope of a verification. */
export type VerifyOptions = CallOptions & {
  /** Challenges every provider for leaves drawn on this machine. Defaults to true. */
  challenge?: boolean
  /** Number of leaves per challenge, at most 64. Defaults to 8. */
  leaves?: number
  /** Fetches every piece from a provider, computes its commitment and searches it for all blocks of the content. */
  full?: boolean
  onProgress?: OnProgress
}
