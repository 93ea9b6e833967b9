import { countLeaves, coversWindow, encodePieceCid, paddedBytesOf, parsePieceCid, verifyChallenge } from '@cairn/pieces'
import { CairnError, type Deal, type LeafWindow } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { challengeProvider } from './challenge-provider.ts'
import { type Check, check } from './check.ts'
import { verifyNonce } from './nonce-source.ts'
import type { StorageProofs } from './proofs.ts'
import type { VerifyOptions } from './verify-storage.ts'

/** What one provider proved. */
export type ProviderReport = {
  readonly dealId: number
  readonly name: string
  /** The key that its proofs are signed with: who it is. */
  readonly key: string | null
  readonly state: Deal['state']
  /** The last proof that the service recorded, and when the provider says it was made (ms since 1970). */
  readonly recorded: Check & { readonly provenAt?: number; readonly nonceSource?: string }
  /** The answer to challenges of our own, and when it came by our clock. */
  readonly asked: Check & { readonly provenAt?: number; readonly leaves?: number }
}

type PieceProof = StorageProofs['pieces'][number]
type AggregateProof = NonNullable<PieceProof['aggregate']>
type DealProof = AggregateProof['deals'][number]

const leafBytes = 32
/** Longest period of challenges that a recorded proof is believed for, whatever the service says. */
const challengeMsMost = 31 * 86_400_000
/** How far a provider's clock may be ahead. */
const aheadMsMost = 600_000

/** Checks what a provider proved of a piece within an aggregate, and challenges it. */
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
  const asked: Check =
    challenge === false
      ? { outcome: 'skipped', says: 'It was not asked' }
      : provider.url === null
        ? { outcome: 'skipped', says: 'Strangers cannot ask this provider' }
        : await check(signal, async () => {
            for (const within of windowsOf(piece, aggregate)) {
              const question = { piece: aggregate.piece, key, leaves, within }
              ;({ provider: key } = await challengeProvider(client, provider.url ?? '', question, signal))
            }
            provenAt = Date.now()
            return `It showed ${leaves} leaves that were drawn on this machine, of this piece alone`
          })
  return {
    dealId: deal.id,
    name: provider.name,
    key,
    state: deal.state,
    recorded: await checkRecorded(aggregate.piece, wholeOf(piece, aggregate), deal, challengeMs, signal),
    asked: { ...asked, ...(provenAt === undefined ? {} : { provenAt, leaves }) },
  }
}

/** The leaves of the aggregate that hold a piece. */
function wholeOf({ piece }: PieceProof, { inclusion }: AggregateProof): LeafWindow {
  const { height, payloadBytes } = parsePieceCid(piece)
  return { start: (inclusion.subtree.index * paddedBytesOf({ height })) / leafBytes, count: countLeaves(payloadBytes) }
}

/**
 * What a challenge has to be about, in leaves of the aggregate: the piece and not what lies beside it, and in it the bytes
 * around the root block, as a piece may be mostly somebody else's.
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
    return { outcome: 'skipped', says: 'No proof was recorded yet' }
  }
  const { answer, nonce, nonceSource, leafCount } = lastProof
  const { provenAt, within } = answer
  const result = await check(signal, async () => {
    verifyChallenge(answer, { piece, nonce, count: leafCount, provider: key, within })
    // Answers from before challenges left padding out name no windows: they are about all of the aggregate.
    if (within !== undefined && !coversWindow(within, whole)) throw refuse('It is not about all of this piece')
    await verifyNonce({ nonce, nonceSource, dealId: id, piece: encodePieceCid(parsePieceCid(piece)) })
    const ageMs = Date.now() - provenAt
    if (ageMs > Math.min(challengeMs, challengeMsMost) * 2) throw refuse('It is older than two periods of challenges')
    if (ageMs < -aheadMsMost) throw refuse('It says that it was made in the future')
    const among = within === undefined ? 'the aggregate, its padding included' : 'what the aggregate holds'
    return `It showed ${leafCount} leaves of ${among}, which the service asked for`
  })
  return { ...result, provenAt, nonceSource }
}

function refuse(reason: string): CairnError {
  return new CairnError('PROOF_INVALID', { details: { reason } })
}
