import { createPieceHasher, encodePieceCid, parsePieceCid } from '@cairn/pieces'
import { CairnError, getPiecePayload } from '@cairn/protocol'
import { decodeNode, encodeCarHeader, readCar, UnixfsError, verifyBlock } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { hashSha256 } from '#platform'
import type { Client } from '../client.ts'
import { createProgress, type OnProgress } from '../progress.ts'
import { describeFault, openResponse } from '../request.ts'
import type { StorageProofs } from './proofs.ts'
import { readHttpUrl } from './read-http-url.ts'

type PieceProof = StorageProofs['pieces'][number]

/** Codecs of blocks that link to nothing, and of UnixFS. */
const raw = 0x55
const dagPb = 0x70
/** Multihash of CIDs that are their content themselves. */
const identityHash = 0
/** Blocks and links that are held at once: about a GiB, the blocks of terabytes. */
const heldMost = 4_000_000

/**
 * Links of the blocks found, by multihash and the codec that they were read with: bytes have other links, or none, under
 * another codec.
 */
type FoundBlocks = { readonly links: Map<string, readonly CID[]>; held: number }

/**
 * Fetches the pieces of content from providers, computes their commitments and looks for every block of the content in
 * them. Memory grows with the number of blocks, not with their bytes.
 * @throws CairnError PROOF_INVALID when a piece is not what its CID says; INCOMPLETE_DAG when blocks are missing
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

/** Walks all of the content. @throws CairnError INCOMPLETE_DAG; UnixfsError where a block is none of its codec */
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
        message: 'A block of the content is in none of the pieces',
        details: { reason: `Block ${cid} is in none of the pieces`, cid: cid.toString() },
      })
    }
    if (seen.size + open.length + next.length > heldMost) throw tooMany()
    for (const one of next) open.push(one)
  }
  return seen.size
}

/** A part of a CAR that lacks the header, read as one that has it. */
async function* withHeader(source: AsyncGenerator<Uint8Array>, isHeaded: boolean): AsyncGenerator<Uint8Array> {
  if (!isHeaded) yield encodeCarHeader([])
  yield* source
}

/** Notes a block whose bytes were checked, under each codec that somebody may link to it with. */
function note(found: FoundBlocks, cid: CID, bytes: Uint8Array): void {
  // Blocks are stored once: what came as a raw block may be a node of other content.
  for (const code of new Set([raw, cid.code, dagPb])) {
    const key = keyOf(cid, code)
    if (found.links.has(key)) continue
    try {
      const links = linksOf(CID.createV1(code, cid.multihash), bytes)
      found.links.set(key, links)
      found.held += 1 + links.length
    } catch (error) {
      // Of the packs that content shares, not all blocks are its own: one that is needed is missed later.
      if (!UnixfsError.is(error)) throw error
    }
  }
  if (found.held > heldMost) throw tooMany()
}

function linksOf(cid: CID, bytes: Uint8Array): readonly CID[] {
  return cid.code === raw ? [] : decodeNode(cid, bytes).links.map((link) => link.cid)
}

function tooMany(): CairnError {
  return new CairnError('PROOF_INVALID', {
    details: { reason: `More than ${heldMost} blocks and links: too many to look for at once` },
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
    throw new CairnError('PROOF_INVALID', { details: { reason: 'The piece has another size than its CID says' } })
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
    throw new CairnError('PROOF_INVALID', { details: { reason: 'The provider gave bytes of another piece' } })
  }
}

/** Whether the bytes are those of the CID. What others stored beside the content and is damaged is no fault of it. */
async function isWhole(cid: CID, bytes: Uint8Array): Promise<boolean> {
  try {
    await verifyBlock(cid, bytes, hashSha256)
    return true
  } catch (error) {
    if (!UnixfsError.is(error)) throw error
    return false
  }
}

/** The bytes of a piece, out of the aggregate that a provider keeps: the first provider that answers. */
async function openPiece(
  client: Client,
  { piece, payloadBytes, aggregate }: PieceProof,
  signal: AbortSignal | undefined,
): Promise<AsyncGenerator<Uint8Array>> {
  const faults: unknown[] = []
  // 127 payload bytes are 128 padded ones.
  const start = aggregate === null ? 0 : (aggregate.offset / 128) * 127
  for (const deal of aggregate?.deals ?? []) {
    if (deal.retrievalUrl === null) continue
    try {
      // A provider that states where it answers gives its pieces there and nowhere else.
      if (
        !readHttpUrl(deal.retrievalUrl).startsWith(deal.provider.url === null ? '' : readHttpUrl(deal.provider.url))
      ) {
        throw new CairnError('PROOF_INVALID', { details: { reason: 'The piece would come from somebody else' } })
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
      faults.push(error)
    }
  }
  throw new CairnError('PROOF_INVALID', {
    details: { reason: 'No provider gave the piece', piece },
    cause: new AggregateError(faults),
  })
}

async function* readBody(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } catch (error) {
    throw describeFault(error, signal)
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** Bytes of a stream, in runs that end where they are told. */
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
    /** Lets all go by up to an offset. */
    async skipTo(end: number): Promise<void> {
      while ((await next(end)) !== undefined);
    },
    /** Gives all up to an offset. */
    async *read(end: number): AsyncGenerator<Uint8Array> {
      for (let bytes = await next(end); bytes !== undefined; bytes = await next(end)) yield bytes
    },
  }
}
