import type { ChallengeAnswer, LeafWindow } from '@cairn/protocol'

/** What a provider says about a piece. `unknown`: it was never offered, or was removed. */
export type PieceState =
  | { readonly state: 'unknown' | 'queued' | 'pulling' | 'kept' }
  | { readonly state: 'failed'; readonly reason: string }

/** Where a provider fetches a piece: it sends the token as a bearer token. */
export type PieceSource = {
  readonly url: string
  readonly token: string
  /** The leaves that hold something; the rest are zeros, which it need not fetch. */
  readonly content: readonly LeafWindow[]
}

/** Which leaves a nonce picks: how many, and among which. */
export type Challenge = {
  readonly nonce: Uint8Array
  readonly count: number
  readonly within: readonly LeafWindow[]
}

/** Options of every call: what is not answered in time is given up. */
export type ProviderCall = { readonly signal: AbortSignal }

/** What a chain shows of the proofs of a piece. */
export type ChainProof = {
  /** The newest one that the piece was in the challenges of; undefined where none is newer than the known one. */
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
  /** Which proof should be there and is not; undefined where none is missing. */
  readonly missed: string | undefined
}

/**
 * A storage provider. Pieces are named by piece CIDs of version 2, and every call may be made again: what is there or
 * gone already is no error.
 */
export type Provider = {
  readonly name: string
  readonly kind: 'cairn' | 'filecoin'
  /** Where strangers can ask it; undefined where they cannot. */
  readonly url: string | undefined
  /** Largest piece it takes, in payload bytes. */
  readonly pieceBytesMost: number
  /** Where anyone may fetch a piece; undefined where it has no such place. */
  retrievalUrl(piece: string): string | undefined
  /** Asks whether it is there. @throws CairnError UPSTREAM_FAILED */
  ping(call: ProviderCall): Promise<void>
  /** Offers a piece to fetch. @throws CairnError PROVIDER_FULL, PIECE_TOO_LARGE, UPSTREAM_FAILED */
  offer(piece: string, source: PieceSource, call: ProviderCall): Promise<PieceState>
  /** @throws CairnError UPSTREAM_FAILED */
  status(piece: string, call: ProviderCall): Promise<PieceState>
  /**
   * Asks for the leaves that a nonce picks.
   * @throws CairnError PIECE_NOT_FOUND, PIECE_DAMAGED where it says so itself; PROOF_INVALID where its answer does not
   * hold; UPSTREAM_FAILED where it gives none
   */
  challenge(piece: string, challenge: Challenge, call: ProviderCall): Promise<ChallengeAnswer>
  /**
   * Reads the newest proof from the provider's chain, of a piece kept and proven last at these times. A provider that has it proves when its chain asks and not when we do:
   * its `challenge` throws NOT_SUPPORTED.
   * @throws CairnError PIECE_NOT_FOUND where the chain does not have the piece; UPSTREAM_FAILED
   */
  lastProof?(piece: string, known: { keptAt: number; provenAt: number | null }, call: ProviderCall): Promise<ChainProof>
  /** Payload bytes from `start` up to, not including, `end`. @throws CairnError UPSTREAM_FAILED */
  retrieve(piece: string, range: { start: number; end: number }, call: ProviderCall): AsyncIterable<Uint8Array>
  /** @throws CairnError UPSTREAM_FAILED */
  remove(piece: string, call: ProviderCall): Promise<void>
  /** Ends what it does by itself. */
  close?(): void
}
