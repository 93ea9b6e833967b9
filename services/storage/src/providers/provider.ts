import type { ChallengeAnswer, LeafWindow, Reason } from '@cairn/protocol'

/** State of a piece at a provider. `unknown`: it was never offered, or was removed. */
export type PieceState =
  | { readonly state: 'unknown' | 'queued' | 'pulling' | 'kept' }
  | ({ readonly state: 'failed' } & Reason)

/** Where a provider fetches a piece, and the bearer token it sends. */
export type PieceSource = {
  readonly url: string
  readonly token: string
  /** The leaves that hold content; the rest are zeros and need not be fetched. */
  readonly content: readonly LeafWindow[]
}

/** Which leaves a nonce selects: how many, and among which. */
export type Challenge = {
  readonly nonce: Uint8Array
  readonly count: number
  readonly within: readonly LeafWindow[]
}

/** Options of every call; the signal aborts it. */
export type ProviderCall = { readonly signal: AbortSignal }

/** Proofs of a piece, as its chain shows them. */
export type ChainProof = {
  /** The newest proof whose challenges included the piece; undefined when none is newer than the known one. */
  readonly newest:
    | {
        /** In ms. */
        readonly provenAt: number
        /** 64 hex digits. */
        readonly transaction: string
        readonly source: string
        readonly leafCount: number
      }
    | undefined
  /** The proof that is missing; undefined when none is. */
  readonly missed: Reason | undefined
}

/**
 * A storage provider. Pieces are identified by piece CIDs of version 2. Every call is idempotent: an existing or
 * already removed piece is not an error.
 */
export type Provider = {
  readonly name: string
  readonly kind: 'cairn' | 'filecoin'
  /** Public URL for requests by third parties; undefined when there is none. */
  readonly url: string | undefined
  /** Maximum piece size, in payload bytes. */
  readonly maxPieceBytes: number
  /** Public URL of a piece; undefined when there is none. */
  retrievalUrl(piece: string): string | undefined
  /** Checks that the provider is reachable. @throws CairnError UPSTREAM_FAILED */
  ping(call: ProviderCall): Promise<void>
  /** Offers a piece for fetching. @throws CairnError PROVIDER_FULL, PIECE_TOO_LARGE, UPSTREAM_FAILED */
  offer(piece: string, source: PieceSource, call: ProviderCall): Promise<PieceState>
  /** @throws CairnError UPSTREAM_FAILED */
  status(piece: string, call: ProviderCall): Promise<PieceState>
  /** Returns the number of challenges that the rate announced by the provider admits now. Absent if it has none. */
  countChallengesLeft?(): number
  /**
   * Requests the leaves that a nonce selects.
   * @throws CairnError PIECE_NOT_FOUND, PIECE_DAMAGED when the provider admits it; PROOF_INVALID when its answer is
   * wrong; RATE_LIMITED when it takes no more challenges now; UPSTREAM_FAILED when there is no answer
   */
  challenge(piece: string, challenge: Challenge, call: ProviderCall): Promise<ChallengeAnswer>
  /**
   * Reads the newest proof of a piece from the provider's chain; `known` are the times it was kept and last proven. A
   * provider with this method proves when its chain requires it, not on request: its `challenge` throws
   * NOT_SUPPORTED.
   * @throws CairnError PIECE_NOT_FOUND when the chain does not have the piece; UPSTREAM_FAILED
   */
  lastProof?(piece: string, known: { keptAt: number; provenAt: number | null }, call: ProviderCall): Promise<ChainProof>
  /** Reads payload bytes from `start` up to, but not including, `end`. @throws CairnError UPSTREAM_FAILED */
  retrieve(piece: string, range: { start: number; end: number }, call: ProviderCall): AsyncIterable<Uint8Array>
  /** @throws CairnError UPSTREAM_FAILED */
  remove(piece: string, call: ProviderCall): Promise<void>
  /** Stops background work. */
  close?(): void
}
