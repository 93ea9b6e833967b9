import { countLeaves, coversWindow, encodePieceCid, paddedBytesOf, parsePieceCid, verifyChallenge } from '@cairn/pieces'
import { CairnError, type Deal, type LeafWindow, proofReason, type Reason } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { challengeProvider } from './challenge-provider.ts'
import { type Check, check, skipped } from './check.ts'
import { verifyNonce } from './nonce-source.ts'
import type { StorageProofs } from './proofs.ts'
import type { VerifyOptions } from './verify-options.ts'

/** Result of verifying one provider. */
export type ProviderReport = {
  readonly dealId: number
  readonly name: string
  /** The key that signs its proofs, which identifies the provider. */
  readonly key: string | null
  readonly state: Deal['state']
  /** The last proof that the service recorded, and when the provider claims to have made it (ms since 1970). */
  readonly recorded: Check & { readonly provenAt?: number; readonly nonceSource?: string }
  /** The answer to our own challenge, and when it arrived by our clock. */
  readonly challenged: Check & { readonly provenAt?: number; readonly leaves?: number }
}

type PieceProof = StorageProofs['pieces'][number]
type AggregateProof = NonNullable<PieceProof['aggregate']>
type DealProof = AggregateProof['deals'][number]

const leafBytes = 32
/** Maximum age of a recorded proof, whatever period the service claims. */
const maxChallengeMs = 31 * 86_400_000
/** Maximum time in ms that the clock of a provider may be ahead. */
const maxAheadMs = 600_000

/** Verifies the recorded proofs of a provider for a piece within an aggregate, and challenges the provider. */
export async function verifyProvider(
  client: Client,
  piece: PieceProof,
  aggregate: AggregateProof,
  deal: DealProof,
  { challengeMs }: StorageProofs,
  { signal, leaves = 8, challenge = true }: VerifyOptions,
): Promise<ProviderReport> {
  const { provider } = deal
  let key = provider.key
  let provenAt: number | undefined
  const challenged: Check =
    challenge === false
      ? skipped(proofReason('NOT_CHALLENGED'))
      : provider.url === null
        ? skipped(proofReason('NO_PUBLIC_CHALLENGES'))
        : await check(signal, async () => {
            for (const within of windowsOf(piece, aggregate)) {
              const question = { piece: aggregate.piece, key, leaves, within }
              ;({ provider: key } = await challengeProvider(client, provider.url ?? '', question, signal))
            }
            provenAt = Date.now()
            return proofReason('LEAVES_OF_PIECE', { leaves })
          })
  return {
    dealId: deal.id,
    name: provider.name,
    key,
    state: deal.state,
    recorded: await checkRecorded(aggregate.piece, wholeOf(piece, aggregate), deal, challengeMs, signal),
    challenged: { ...challenged, ...(provenAt === undefined ? {} : { provenAt, leaves }) },
  }
}

/** Returns the leaves of the aggregate that store a piece. */
function wholeOf({ piece }: PieceProof, { inclusion }: AggregateProof): LeafWindow {
  const { height, payloadBytes } = parsePieceCid(piece)
  return { start: (inclusion.subtree.index * paddedBytesOf({ height })) / leafBytes, count: countLeaves(payloadBytes) }
}

/**
 * Returns the leaves of the aggregate that a challenge must cover: the piece without its neighbours, and within it the
 * bytes around the root block, because a piece may consist mostly of content of others.
 */
function windowsOf(proof: PieceProof, aggregate: AggregateProof): LeafWindow[] {
  const whole = wholeOf(proof, aggregate)
  const { block } = proof
  if (block === null) return [whole]
  // 127 payload bytes are four leaves.
  const start = Math.floor(block.offset / 127) * 4
  const end = countLeaves(block.offset + Math.max(block.length, 1))
  return [whole, { start: whole.start + start, count: end - start }]
}

async function checkRecorded(
  piece: string,
  whole: LeafWindow,
  { id, lastProof, provider: { key } }: DealProof,
  challengeMs: number,
  signal: AbortSignal | undefined,
): Promise<ProviderReport['recorded']> {
  if (lastProof === null || lastProof.answer === null || key === null) {
    return skipped(proofReason('NO_PROOF_RECORDED'))
  }
  const { answer, nonce, nonceSource, leafCount } = lastProof
  const { provenAt, within } = answer
  const result = await check(signal, async () => {
    verifyChallenge(answer, { piece, nonce, count: leafCount, provider: key, within })
    // Responses from before challenges omitted padding name no windows: they cover the whole aggregate.
    if (within !== undefined && !coversWindow(within, whole)) throw refuse(proofReason('PROOF_NOT_COVERING'))
    await verifyNonce({ nonce, nonceSource, dealId: id, piece: encodePieceCid(parsePieceCid(piece)) })
    const ageMs = Date.now() - provenAt
    if (ageMs > Math.min(challengeMs, maxChallengeMs) * 2) throw refuse(proofReason('PROOF_TOO_OLD'))
    if (ageMs < -maxAheadMs) throw refuse(proofReason('PROOF_IN_FUTURE'))
    return proofReason(within === undefined ? 'LEAVES_OF_AGGREGATE' : 'LEAVES_OF_CONTENT', { leaves: leafCount })
  })
  return { ...result, provenAt, nonceSource }
}

function refuse(details: Reason): CairnError {
  return new CairnError('PROOF_INVALID', { details })
}
