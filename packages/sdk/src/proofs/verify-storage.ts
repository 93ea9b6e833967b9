import { encodePieceCid, parsePieceCid, resolveAggregate, verifyByteRange } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import { decodeNode, verifyBlock } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { hashSha256 } from '#platform'
import type { Client } from '../client.ts'
import type { OnProgress } from '../progress.ts'
import type { CallOptions } from '../request.ts'
import { type Check, check } from './check.ts'
import { getAllProofs, type StorageProofs } from './proofs.ts'
import { readPieces } from './read-pieces.ts'
import { createTurns, type Turns } from './turns.ts'
import { type ProviderReport, verifyProvider } from './verify-provider.ts'

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
  /** Different keys that proved to hold it: how many copies there can be. */
  readonly copies: number
}

/** What was proven about content, when and by whom, and what was not. */
export type StorageReport = {
  readonly cid: string
  readonly checkedAt: number
  /**
   * True when nothing failed, every piece that the service names lies in an aggregate and each is held by at least one
   * provider that answered our challenge, or, where none was made, proved it within two periods of challenges. That the
   * service names all pieces of the content is known when `content` is proven.
   */
  readonly isProven: boolean
  readonly pieces: readonly PieceReport[]
  /**
   * All blocks of the content are in the pieces that a provider gave. Made with `full` alone, but for content that is one
   * block: its root is all of it.
   */
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
  'that copies lie on separate machines, or with people who do not know each other, or who are not the service itself',
  'that nobody else reads it: who must not read it must not get the key of an encrypted file',
]
const unprovenParts =
  'that the pieces hold more of the content than its root block: the service says so, and only a full check shows it'
const unprovenNonces = 'that the recorded proofs were not made before, to nonces picked to suit them'

/** Providers asked at once. */
const asksAtOnce = 16

/**
 * Checks on this machine where content is stored: from its root block to the piece, to the aggregate, and to providers that
 * answer a challenge drawn here. The service is asked for proofs and believed nothing else.
 * @throws CairnError INVALID_CID, BLOCK_NOT_FOUND, PROOF_NOT_FOUND while there is nothing to check; ABORTED. Checks that
 *   fail are in the report.
 */
export async function verifyStorage(client: Client, cid: string, options: VerifyOptions = {}): Promise<StorageReport> {
  const root = parseCid(cid)
  const proofs = await getAllProofs(client, cid, options)
  const turns = createTurns(asksAtOnce)
  const found = await Promise.all(
    proofs.pieces.map((piece) => reportPiece(client, root, piece, proofs, options, turns)),
  )
  const pieces = found.map(({ report }) => report)
  const content: Check = options.full
    ? await check(options.signal, async () => {
        const { blocks, bytes } = await readPieces(client, root, proofs, options)
        return `Every block of the content (${blocks}) was found in ${bytes} bytes that providers gave`
      })
    : found.some(({ isAll }) => isAll)
      ? { outcome: 'proven', says: 'The root block is all of the content' }
      : { outcome: 'skipped', says: 'Only the root block was looked for, not what it links to' }
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
      ...(content.outcome === 'proven' ? [] : [unprovenParts]),
      ...(options.challenge === false ? [unprovenNonces] : []),
      ...unproven,
    ],
  }
}

type PieceProof = StorageProofs['pieces'][number]

/** `isAll`: the root block lies in this piece and links to nothing. */
async function reportPiece(
  client: Client,
  root: CID,
  proof: PieceProof,
  proofs: StorageProofs,
  options: VerifyOptions,
  turns: Turns,
): Promise<{ report: PieceReport; isAll: boolean }> {
  const { aggregate, block } = proof
  const { signal } = options
  let isAll = false
  const blockCheck: Check =
    block === null
      ? { outcome: 'skipped', says: 'The root block lies in another piece' }
      : await check(signal, async () => {
          isAll = (await verifyRootBlock(root, proof.piece, block)) === 0
          return `The root block lies at byte ${block.offset} of the piece`
        })
  const inclusion: Check =
    aggregate === null
      ? { outcome: 'skipped', says: 'The piece waits to be put into an aggregate' }
      : await check(signal, async () => verifyInclusion(proof.piece, aggregate))
  const held = (aggregate?.deals ?? []).filter(({ state }) => state === 'kept' || state === 'proving')
  // Where the piece lies is known once the inclusion holds.
  const providers =
    aggregate === null || inclusion.outcome !== 'proven'
      ? []
      : await Promise.all(
          held.map((deal) => turns.take(() => verifyProvider(client, proof, aggregate, deal, proofs, options))),
        )
  const isHeld = ({ asked, recorded }: ProviderReport): boolean =>
    asked.outcome === 'proven' || (options.challenge === false && recorded.outcome === 'proven')
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

/** Answers how many links the block has. */
async function verifyRootBlock(root: CID, piece: string, block: NonNullable<PieceProof['block']>): Promise<number> {
  const bytes = decodeBase64(block.bytes)
  verifyByteRange(parsePieceCid(piece), { offset: block.from, bytes, path: block.path })
  const start = block.offset - block.from
  const found = bytes.subarray(start, start + block.length)
  if (start < 0 || found.length !== block.length) {
    throw new CairnError('PROOF_INVALID', { details: { reason: 'The bytes proven are not those of the block' } })
  }
  await verifyBlock(root, found, hashSha256)
  return decodeNode(root, found).links.length
}

function verifyInclusion(piece: string, aggregate: NonNullable<PieceProof['aggregate']>): string {
  const { subtree, entry } = aggregate.inclusion
  const read = ({ index, path }: { index: number; path: string[] }) => ({ index, path: path.map(decodeHex) })
  const found = resolveAggregate(parsePieceCid(piece), { subtree: read(subtree), entry: read(entry) })
  // The whole CID: one that says that there is less payload would have challenges look at the first leaves alone.
  if (encodePieceCid(found) !== encodePieceCid(parsePieceCid(aggregate.piece))) {
    throw new CairnError('PROOF_INVALID', { details: { reason: 'The paths lead to another aggregate' } })
  }
  return 'The piece lies in the aggregate, and in its index'
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
