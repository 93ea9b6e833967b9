import { createPieceHasher, encodePieceCid, parsePieceCid } from '@cairn/pieces'
import { CairnError, getPiecePayload, proofReason } from '@cairn/protocol'
import { decodeNode, encodeCarHeader, readCar, UnixfsError, verifyBlock } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { hashSha256 } from '#platform/native-crypto'
import type { Client } from '../client.ts'
import { iterateStream } from '../iterate-stream.ts'
import { createProgress, type OnProgress } from '../progress.ts'
import { describeFailure, openResponse } from '../request.ts'
import type { StorageProofs } from './proofs.ts'
import { readHttpUrl } from './read-http-url.ts'

type PieceProof = StorageProofs['pieces'][number]

/** Codecs of blocks without links, and of UnixFS. */
const raw = 0x55
const dagPb = 0x70
/** Multihash of CIDs that contain their content. */
const identityHash = 0
/** Maximum number of blocks and links in memory: about a GiB, the blocks of terabytes. */
const maxHeld = 4_000_000

/** Links of the blocks found, by multihash and codec: the same bytes have other links, or none, under another codec. */
type FoundBlocks = { readonly links: Map<string, readonly CID[]>; held: number }

/**
 * Fetches the pieces of content from providers, computes their commitments and searches them for every block of the
 * content. Memory grows with the number of blocks, not with their bytes.
 * @throws CairnError PROOF_INVALID if a piece does not match its CID; INCOMPLETE_DAG if blocks are missing
 */
export async function readPieces(
  client: Client,
  root: CID,
  proofs: StorageProofs,
  { signal, onProgress }: { signal?: AbortSignal | undefined; onProgress?: OnProgress },
): Promise<{ blocks: number; bytes: number }> {
  const found: FoundBlocks = { links: new Map(), held: 0 }
  const total = proofs.pieces.reduce((sum, piece) => sum + piece.payloadBytes, 0)
  const progress = createProgress('receive', total, onProgress)
  for (const piece of proofs.pieces) await readPiece(client, piece, found, signal, progress.add)
  progress.done()
  return { blocks: countBlocks(root, found), bytes: total }
}

/**
 * Walks all of the content.
 * @throws CairnError INCOMPLETE_DAG; UnixfsError for a block that does not match its codec
 */
function countBlocks(root: CID, { links }: FoundBlocks): number {
  const seen = new Set<string>()
  const open = [root]
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    const key = keyOf(cid, cid.code)
    if (seen.has(key)) continue
    seen.add(key)
    const next = cid.multihash.code === identityHash ? linksOf(cid, cid.multihash.digest) : links.get(key)
    if (next === undefined) {
      throw new CairnError('INCOMPLETE_DAG', {
        message: 'A block of the content is missing from all pieces',
        details: { ...proofReason('BLOCK_MISSING', { cid: cid.toString() }), cid: cid.toString() },
      })
    }
    if (seen.size + open.length + next.length > maxHeld) throw tooMany()
    for (const one of next) open.push(one)
  }
  return seen.size
}

/** Adds the missing header to a part of a CAR. */
async function* withHeader(source: AsyncGenerator<Uint8Array>, isHeaded: boolean): AsyncGenerator<Uint8Array> {
  if (!isHeaded) yield encodeCarHeader([])
  yield* source
}

/** Stores the links of a verified block, under each codec that a link to it may have. */
function note(found: FoundBlocks, cid: CID, bytes: Uint8Array): void {
  // Blocks are stored once: a raw block may be a node of other content.
  for (const code of new Set([raw, cid.code, dagPb])) {
    const key = keyOf(cid, code)
    if (found.links.has(key)) continue
    try {
      const links = linksOf(CID.createV1(code, cid.multihash), bytes)
      found.links.set(key, links)
      found.held += 1 + links.length
    } catch (error) {
      // Packs of shared content also have foreign blocks; a required block that is missing is reported later.
      if (!UnixfsError.is(error)) throw error
    }
  }
  if (found.held > maxHeld) throw tooMany()
}

function linksOf(cid: CID, bytes: Uint8Array): readonly CID[] {
  return cid.code === raw ? [] : decodeNode(cid, bytes).links.map((link) => link.cid)
}

function tooMany(): CairnError {
  return new CairnError('PROOF_INVALID', {
    details: proofReason('TOO_MANY_BLOCKS', { limit: maxHeld }),
  })
}

function keyOf(cid: CID, code: number): string {
  return `${String.fromCharCode(...cid.multihash.bytes)} ${code}`
}

async function readPiece(
  client: Client,
  piece: PieceProof,
  found: FoundBlocks,
  signal: AbortSignal | undefined,
  onBytes: (length: number) => void,
): Promise<void> {
  if (parsePieceCid(piece.piece).payloadBytes !== piece.payloadBytes) {
    throw new CairnError('PROOF_INVALID', { details: proofReason('PIECE_SIZE_DIFFERS') })
  }
  const hasher = createPieceHasher()
  const source = await openPiece(client, piece, signal)
  const feed = createFeed(source, (bytes) => {
    hasher.write(bytes)
    onBytes(bytes.length)
  })
  try {
    for (const car of piece.cars.toSorted((a, b) => a.offset - b.offset)) {
      await feed.skipTo(car.offset)
      const { blocks } = await readCar(withHeader(feed.read(car.offset + car.length), car.isHeaded))
      for await (const { cid, bytes } of blocks) {
        if (await isWhole(cid, bytes)) note(found, cid, bytes)
      }
    }
    await feed.skipTo(piece.payloadBytes)
  } finally {
    await source.return?.(undefined)
  }
  if (encodePieceCid(hasher.finish().piece) !== piece.piece) {
    throw new CairnError('PROOF_INVALID', { details: proofReason('ANOTHER_PIECE') })
  }
}

/**
 * Returns whether the bytes match the CID. Damage to foreign content in the same piece is not an error of this content.
 */
async function isWhole(cid: CID, bytes: Uint8Array): Promise<boolean> {
  try {
    await verifyBlock(cid, bytes, hashSha256)
    return true
  } catch (error) {
    if (!UnixfsError.is(error)) throw error
    return false
  }
}

/** Opens the bytes of a piece within the aggregate, at the first provider that answers. */
async function openPiece(
  client: Client,
  { piece, payloadBytes, aggregate }: PieceProof,
  signal: AbortSignal | undefined,
): Promise<AsyncGenerator<Uint8Array>> {
  const failures: unknown[] = []
  // 127 payload bytes are 128 padded bytes.
  const start = aggregate === null ? 0 : (aggregate.offset / 128) * 127
  for (const deal of aggregate?.deals ?? []) {
    if (deal.retrievalUrl === null) continue
    try {
      // A provider with a stated endpoint serves its pieces only there.
      if (
        !readHttpUrl(deal.retrievalUrl).startsWith(deal.provider.url === null ? '' : readHttpUrl(deal.provider.url))
      ) {
        throw new CairnError('PROOF_INVALID', { details: proofReason('PIECE_FROM_THIRD_PARTY') })
      }
      const response = await openResponse(client, {
        url: deal.retrievalUrl,
        method: 'GET',
        headers: { range: `bytes=${start}-${start + payloadBytes - 1}` },
        dialect: getPiecePayload.dialect,
        signal,
        timeoutMs: client.transferTimeoutMs,
      })
      const length = Number(response.headers.get('content-length') ?? payloadBytes)
      if (response.body === null || length !== payloadBytes) throw new CairnError('UNEXPECTED_RESPONSE')
      return readBody(response.body, signal)
    } catch (error) {
      if (CairnError.is(error, 'ABORTED')) throw error
      failures.push(error)
    }
  }
  throw new CairnError('PROOF_INVALID', {
    details: { ...proofReason('PIECE_NOT_RETURNED'), piece },
    cause: new AggregateError(failures),
  })
}

async function* readBody(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* iterateStream(body)
  } catch (error) {
    throw describeFailure(error, signal)
  }
}

/** A stream of bytes, readable in runs up to a given offset. */
function createFeed(source: AsyncGenerator<Uint8Array>, onBytes: (bytes: Uint8Array) => void) {
  let rest: Uint8Array = new Uint8Array()
  let offset = 0
  const next = async (end: number): Promise<Uint8Array | undefined> => {
    if (offset >= end) return undefined
    if (rest.length === 0) {
      const { done, value } = await source.next()
      if (done) return undefined
      onBytes(value)
      rest = value
    }
    const bytes = rest.subarray(0, end - offset)
    rest = rest.subarray(bytes.length)
    offset += bytes.length
    return bytes
  }
  return {
    /** Skips to an offset. */
    async skipTo(end: number): Promise<void> {
      while ((await next(end)) !== undefined);
    },
    /** Yields the bytes up to an offset. */
    async *read(end: number): AsyncGenerator<Uint8Array> {
      for (let bytes = await next(end); bytes !== undefined; bytes = await next(end)) yield bytes
    },
  }
}
