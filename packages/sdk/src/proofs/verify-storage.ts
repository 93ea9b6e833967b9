import { encodePieceCid, parsePieceCid, resolveAggregate, verifyByteRange } from '@cairn/pieces'
import { CairnError, proofReason, type Reason } from '@cairn/protocol'
import { decodeNode, maxCidCharacters, verifyBlock } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { hashSha256 } from '#platform/native-crypto'
import type { Client } from '../client.ts'
import { type Check, check, proven, skipped } from './check.ts'
import { type ConcurrencyLimit, createConcurrencyLimit } from './concurrency-limit.ts'
import { getAllProofs, type StorageProofs } from './proofs.ts'
import { readPieces } from './read-pieces.ts'
import type { VerifyOptions } from './verify-options.ts'
import { type ProviderReport, verifyProvider } from './verify-provider.ts'

export type { VerifyOptions } from './verify-options.ts'

/** Result of the checks of one piece. */
export type PieceReport = {
  readonly piece: string
  readonly payloadBytes: number
  readonly aggregate: string | null
  /** The root block is part of the piece. */
  readonly block: Check
  /** The piece is part of the aggregate. */
  readonly inclusion: Check
  readonly providers: readonly ProviderReport[]
  /** Number of different keys that proved possession: the upper bound of the number of copies. */
  readonly copies: number
}

/** Result of a verification: what was proven about content, when and by which providers, and what was not. */
export type StorageReport = {
  readonly cid: string
  readonly checkedAt: number
  /**
   * True if no check failed, every piece that the service names is part of an aggregate, and at least one provider of
   * each answered our challenge or, without challenges, proved possession within two challenge periods. Only a proven
   * `content` shows that the service names all pieces of the content.
   */
  readonly isProven: boolean
  readonly pieces: readonly PieceReport[]
  /**
   * All blocks of the content are in the pieces that a provider returned. Runs with `full` only, except for content of
   * one block, whose root is all of it.
   */
  readonly content: Check
  readonly waitingPacks: number
  readonly furtherPieces: number
  /** Claims that no check of this kind can prove. */
  readonly unproven: readonly Reason[]
}

/** Maximum number of concurrent requests to providers. */
const maxConcurrentRequests = 16

/**
 * Verifies on this machine where content is stored: from its root block to the piece, to the aggregate, and to
 * providers that answer a new challenge. The service only supplies the proofs; none of its claims are trusted.
 * @throws CairnError INVALID_CID, BLOCK_NOT_FOUND, PROOF_NOT_FOUND if there is nothing to verify; ABORTED. The report
 *   contains failed checks.
 */
export async function verifyStorage(client: Client, cid: string, options: VerifyOptions = {}): Promise<StorageReport> {
  const root = parseCid(cid)
  const proofs = await getAllProofs(client, cid, options)
  const limit = createConcurrencyLimit(maxConcurrentRequests)
  const found = await Promise.all(
    proofs.pieces.map((piece) => reportPiece(client, root, piece, proofs, options, limit)),
  )
  const pieces = found.map(({ report }) => report)
  const content: Check = options.full
    ? await check(options.signal, async () => {
        const { blocks, bytes } = await readPieces(client, root, proofs, options)
        return blocks === 1
          ? proofReason('ONLY_BLOCK_PRESENT', { bytes })
          : proofReason('ALL_BLOCKS_PRESENT', { blocks, bytes })
      })
    : found.some(({ isAll }) => isAll)
      ? proven(proofReason('ROOT_IS_ALL'))
      : skipped(proofReason('ONLY_ROOT_CHECKED'))
  const checks = [content, ...pieces.flatMap((one) => [one.block, one.inclusion])]
  const { waitingPacks, furtherPieces } = proofs
  const isProven =
    waitingPacks === 0 &&
    furtherPieces === 0 &&
    checks.every(({ outcome }) => outcome !== 'failed') &&
    pieces.some(({ block }) => block.outcome === 'proven') &&
    pieces.every((piece) => piece.inclusion.outcome === 'proven' && piece.copies > 0)
  return {
    cid,
    checkedAt: Date.now(),
    isProven,
    pieces,
    content,
    waitingPacks,
    furtherPieces,
    unproven: [
      ...(content.outcome === 'proven' ? [] : [proofReason('UNPROVEN_PARTS')]),
      ...(options.challenge === false ? [proofReason('UNPROVEN_NONCES')] : []),
      proofReason('UNPROVEN_TOMORROW'),
      proofReason('UNPROVEN_INDEPENDENCE'),
      proofReason('UNPROVEN_PRIVACY'),
    ],
  }
}

type PieceProof = StorageProofs['pieces'][number]

/** `isAll`: the root block is part of this piece and has no links. */
async function reportPiece(
  client: Client,
  root: CID,
  proof: PieceProof,
  proofs: StorageProofs,
  options: VerifyOptions,
  limit: ConcurrencyLimit,
): Promise<{ report: PieceReport; isAll: boolean }> {
  const { aggregate, block } = proof
  const { signal } = options
  let isAll = false
  const blockCheck: Check =
    block === null
      ? skipped(proofReason('ROOT_IN_ANOTHER_PIECE'))
      : await check(signal, async () => {
          isAll = (await verifyRootBlock(root, proof.piece, block)) === 0
          return proofReason('ROOT_AT', { offset: block.offset })
        })
  const inclusion: Check =
    aggregate === null
      ? skipped(proofReason('NO_AGGREGATE_YET'))
      : await check(signal, async () => verifyInclusion(proof.piece, aggregate))
  const held = (aggregate?.deals ?? []).filter(({ state }) => state === 'kept' || state === 'proving')
  // A valid inclusion proves the position of the piece.
  const providers =
    aggregate === null || inclusion.outcome !== 'proven'
      ? []
      : await Promise.all(
          held.map((deal) => limit.run(() => verifyProvider(client, proof, aggregate, deal, proofs, options))),
        )
  const isHeld = ({ challenged, recorded }: ProviderReport): boolean =>
    challenged.outcome === 'proven' || (options.challenge === false && recorded.outcome === 'proven')
  const copies = new Set(providers.filter(isHeld).map(({ key }) => key)).size
  const report: PieceReport = {
    piece: proof.piece,
    payloadBytes: proof.payloadBytes,
    aggregate: aggregate?.piece ?? null,
    block: blockCheck,
    inclusion,
    providers,
    copies,
  }
  return { report, isAll: isAll && blockCheck.outcome === 'proven' }
}

/** Returns the number of links of the block. */
async function verifyRootBlock(root: CID, piece: string, block: NonNullable<PieceProof['block']>): Promise<number> {
  const bytes = decodeBase64(block.bytes)
  verifyByteRange(parsePieceCid(piece), { offset: block.from, bytes, path: block.path })
  const start = block.offset - block.from
  const found = bytes.subarray(start, start + block.length)
  if (start < 0 || found.length !== block.length) {
    throw new CairnError('PROOF_INVALID', { details: proofReason('BLOCK_BYTES_DIFFER') })
  }
  await verifyBlock(root, found, hashSha256)
  return decodeNode(root, found).links.length
}

function verifyInclusion(piece: string, aggregate: NonNullable<PieceProof['aggregate']>): Reason {
  const { subtree, entry } = aggregate.inclusion
  const read = ({ index, path }: { index: number; path: string[] }) => ({ index, path: path.map(decodeHex) })
  const found = resolveAggregate(parsePieceCid(piece), { subtree: read(subtree), entry: read(entry) })
  // Compares the whole CID: one that claims a smaller payload would restrict challenges to the first leaves.
  if (encodePieceCid(found) !== encodePieceCid(parsePieceCid(aggregate.piece))) {
    throw new CairnError('PROOF_INVALID', { details: proofReason('ANOTHER_AGGREGATE') })
  }
  return proofReason('IN_AGGREGATE')
}

function parseCid(text: string): CID {
  if (typeof text !== 'string') throw new CairnError('INVALID_CID')
  const cid = text.trim()
  // The time that base58 and base36 take grows with the square of the length.
  if (cid.length > maxCidCharacters) throw new CairnError('INVALID_CID')
  try {
    return CID.parse(cid)
  } catch (cause) {
    throw new CairnError('INVALID_CID', { cause })
  }
}

function decodeBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch (cause) {
    throw new CairnError('PROOF_INVALID', { details: proofReason('NOT_BASE64'), cause })
  }
}

/** The schema of the call accepts hex only. */
function decodeHex(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16))
}
