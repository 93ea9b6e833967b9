import { parsePieceCid, resolveAggregate, verifyByteRange, verifyChallenge } from '@cairn/pieces'
import { CairnError, type Deal, type ErrorCode } from '@cairn/protocol'
import { UnixfsError, verifyBlock } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { hashSha256 } from '#platform'
import type { Client } from '../client.ts'
import type { OnProgress } from '../progress.ts'
import type { CallOptions } from '../request.ts'
import { challengeProvider } from './challenge-provider.ts'
import { getProofs, type StorageProofs } from './proofs.ts'
import { readPieces } from './read-pieces.ts'

/** What became of one check. `skipped` says why it was not made. */
export type Check =
  | { readonly outcome: 'proven'; readonly says: string }
  | { readonly outcome: 'failed'; readonly says: string; readonly code: ErrorCode }
  | { readonly outcome: 'skipped'; readonly says: string }

/** What one provider proved. */
export type ProviderReport = {
  readonly dealId: number
  readonly name: string
  readonly key: string | null
  readonly state: Deal['state']
  /** The last proof that the service recorded, and when the provider says it was made (ms since 1970). */
  readonly recorded: Check & { readonly provenAt?: number; readonly nonceSource?: string }
  /** The answer to a challenge of our own, a moment ago. */
  readonly asked: Check & { readonly provenAt?: number; readonly leaves?: number }
}

/** What was checked of one piece. */
export type PieceReport = {
  readonly piece: string
  readonly payloadBytes: number
  readonly aggregate: string | null
  /** The root block lies in the piece. */
  readonly block: Check
  /** The piece lies in the aggregate. */
  readonly inclusion: Check
  readonly providers: readonly ProviderReport[]
}

/** What was proven about content, when and by whom, and what was not. */
export type StorageReport = {
  readonly cid: string
  readonly checkedAt: number
  /**
   * True when nothing failed, every piece lies in an aggregate and each is held by at least one provider that answered our
   * challenge, or, where none was made, proved it within the period of challenges.
   */
  readonly isProven: boolean
  readonly pieces: readonly PieceReport[]
  /** All blocks of the content are in the pieces that a provider gave: made with `full` alone. */
  readonly content: Check
  readonly waitingPacks: number
  readonly furtherPieces: number
  /** What no check of this kind can prove. */
  readonly unproven: readonly string[]
}

/** How much is to be checked. */
export type VerifyOptions = CallOptions & {
  /** Asks every provider for leaves that are drawn here and now; true unless told. */
  challenge?: boolean
  /** Leaves to ask for; 8 unless told, 64 at most. */
  leaves?: number
  /** Fetches every piece from a provider, computes its commitment and looks for all blocks of the content in it. */
  full?: boolean
  onProgress?: OnProgress
}

const unproven = [
  'that anybody will serve the content tomorrow',
  'that copies lie on separate machines, or with people who do not know each other',
  'that nobody else reads it: who must not read it must not get the key of an encrypted file',
]

/**
 * Checks on this machine where content is stored: from its root block to the piece, to the aggregate, and to providers that
 * answer a challenge drawn here. The service is asked for proofs and believed nothing else.
 * @throws CairnError INVALID_CID, BLOCK_NOT_FOUND, PROOF_NOT_FOUND while there is nothing to check; ABORTED. Checks that
 *   fail are in the report.
 */
export async function verifyStorage(client: Client, cid: string, options: VerifyOptions = {}): Promise<StorageReport> {
  const root = parseCid(cid)
  const proofs = await getProofs(client, cid, options)
  const pieces = await Promise.all(proofs.pieces.map((piece) => reportPiece(client, root, piece, proofs, options)))
  const content: Check = options.full
    ? await check(options.signal, async () => {
        const { blocks, bytes } = await readPieces(client, root, proofs, options)
        return `${blocks} blocks of the content were found in ${bytes} bytes that providers gave`
      })
    : { outcome: 'skipped', says: 'Not every byte was fetched from a provider' }
  const checks = [content, ...pieces.flatMap((one) => [one.block, one.inclusion])]
  const isHeld = (piece: PieceReport): boolean =>
    piece.providers.some(({ recorded, asked }) =>
      asked.outcome === 'skipped'
        ? options.challenge === false && recorded.outcome === 'proven'
        : asked.outcome === 'proven',
    )
  const isProven =
    proofs.waitingPacks === 0 &&
    proofs.furtherPieces === 0 &&
    checks.every(({ outcome }) => outcome !== 'failed') &&
    pieces.some(({ block }) => block.outcome === 'proven') &&
    pieces.every((piece) => piece.inclusion.outcome === 'proven' && isHeld(piece))
  const { waitingPacks, furtherPieces } = proofs
  return { cid, checkedAt: Date.now(), isProven, pieces, content, waitingPacks, furtherPieces, unproven }
}

type PieceProof = StorageProofs['pieces'][number]
type DealProof = NonNullable<PieceProof['aggregate']>['deals'][number]

async function reportPiece(
  client: Client,
  root: CID,
  proof: PieceProof,
  proofs: StorageProofs,
  options: VerifyOptions,
): Promise<PieceReport> {
  const { aggregate, block } = proof
  const { signal } = options
  return {
    piece: proof.piece,
    payloadBytes: proof.payloadBytes,
    aggregate: aggregate?.piece ?? null,
    block:
      block === null
        ? { outcome: 'skipped', says: 'The root block lies in another piece' }
        : await check(signal, () => verifyRootBlock(root, proof.piece, block)),
    inclusion:
      aggregate === null
        ? { outcome: 'skipped', says: 'The piece waits to be put into an aggregate' }
        : await check(signal, async () => verifyInclusion(proof.piece, aggregate)),
    providers:
      aggregate === null
        ? []
        : await Promise.all(
            aggregate.deals
              .filter(({ state }) => state === 'kept' || state === 'proving')
              .map((deal) => reportProvider(client, aggregate.piece, deal, proofs.challengeMs, options)),
          ),
  }
}

async function verifyRootBlock(root: CID, piece: string, block: NonNullable<PieceProof['block']>): Promise<string> {
  const bytes = decodeBase64(block.bytes)
  verifyByteRange(parsePieceCid(piece), { offset: block.from, bytes, path: block.path })
  const start = block.offset - block.from
  const found = bytes.subarray(start, start + block.length)
  if (start < 0 || found.length !== block.length) {
    throw new CairnError('PROOF_INVALID', { details: { reason: 'The bytes proven are not those of the block' } })
  }
  await verifyBlock(root, found, hashSha256)
  return `The root block lies at byte ${block.offset} of the piece`
}

function verifyInclusion(piece: string, aggregate: NonNullable<PieceProof['aggregate']>): string {
  const { subtree, entry } = aggregate.inclusion
  const read = ({ index, path }: { index: number; path: string[] }) => ({ index, path: path.map(decodeHex) })
  const found = resolveAggregate(parsePieceCid(piece), { subtree: read(subtree), entry: read(entry) })
  const expected = parsePieceCid(aggregate.piece)
  if (found.height !== expected.height || !found.root.every((byte, at) => byte === expected.root[at])) {
    throw new CairnError('PROOF_INVALID', { details: { reason: 'The paths lead to another aggregate' } })
  }
  return 'The piece lies in the aggregate, and in its index'
}

async function reportProvider(
  client: Client,
  aggregate: string,
  deal: DealProof,
  challengeMs: number,
  options: VerifyOptions,
): Promise<ProviderReport> {
  const { lastProof, provider } = deal
  const { key } = provider
  const { signal, leaves = 8 } = options
  const recorded: ProviderReport['recorded'] =
    lastProof?.answer == null || key === null
      ? { outcome: 'skipped', says: 'No proof was recorded yet' }
      : await reportRecorded(aggregate, lastProof, lastProof.answer, key, challengeMs, signal)
  let provenAt: number | undefined
  const asked: Check =
    options.challenge === false
      ? { outcome: 'skipped', says: 'It was not asked' }
      : provider.url === null
        ? { outcome: 'skipped', says: 'Strangers cannot ask this provider' }
        : await check(signal, async () => {
            const answer = await challengeProvider(
              client,
              provider.url ?? '',
              { piece: aggregate, key, leaves },
              signal,
            )
            provenAt = answer.provenAt
            return `It showed ${leaves} leaves that were drawn on this machine`
          })
  return {
    dealId: deal.id,
    name: provider.name,
    key,
    state: deal.state,
    recorded,
    asked: { ...asked, ...(provenAt === undefined ? {} : { provenAt, leaves }) },
  }
}

async function reportRecorded(
  piece: string,
  proof: NonNullable<DealProof['lastProof']>,
  answer: NonNullable<NonNullable<DealProof['lastProof']>['answer']>,
  provider: string,
  challengeMs: number,
  signal: AbortSignal | undefined,
): Promise<ProviderReport['recorded']> {
  const { provenAt } = answer
  const { nonceSource } = proof
  const result = await check(signal, async () => {
    verifyChallenge(answer, { piece, nonce: proof.nonce, count: proof.leafCount, provider })
    if (Date.now() - provenAt > challengeMs * 2) {
      throw new CairnError('PROOF_INVALID', { details: { reason: 'It is older than two periods of challenges' } })
    }
    return `It showed ${proof.leafCount} leaves that the service asked for`
  })
  return { ...result, provenAt, nonceSource }
}

/** Runs a check. What it throws is its result, but an abort, which ends all. */
async function check(signal: AbortSignal | undefined, run: () => Promise<string>): Promise<Check> {
  try {
    return { outcome: 'proven', says: await run() }
  } catch (error) {
    if (signal?.aborted) throw new CairnError('ABORTED', { cause: error })
    if (UnixfsError.is(error)) return { outcome: 'failed', says: error.message, code: 'VERIFICATION_FAILED' }
    if (!CairnError.is(error)) throw error
    const { reason } = error.details
    return { outcome: 'failed', says: typeof reason === 'string' ? reason : error.message, code: error.code }
  }
}

function parseCid(text: string): CID {
  try {
    return CID.parse(text.trim())
  } catch (cause) {
    throw new CairnError('INVALID_CID', { cause })
  }
}

function decodeBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch (cause) {
    throw new CairnError('PROOF_INVALID', { details: { reason: 'The bytes are not base64' }, cause })
  }
}

/** The schema of the call let nothing but hex through. */
function decodeHex(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16))
}
