import { createPieceHasher, encodePieceCid } from '@cairn/pieces'
import { CairnError, getPiecePayload } from '@cairn/protocol'
import { decodeNode, encodeCarHeader, readCar, verifyBlock } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { hashSha256 } from '#platform'
import type { Client } from '../client.ts'
import { createProgress, type OnProgress } from '../progress.ts'
import { describeFault, openResponse } from '../request.ts'
import type { StorageProofs } from './proofs.ts'

type PieceProof = StorageProofs['pieces'][number]

/** Codec of blocks that link to nothing. */
const raw = 0x55
/** Multihash of CIDs that are their content themselves. */
const identityHash = 0

type FoundBlock = { readonly isRaw: boolean; readonly links: readonly CID[] }
const noLinks: FoundBlock = { isRaw: true, links: [] }

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
  const found = new Map<string, FoundBlock>()
  const total = proofs.pieces.reduce((sum, piece) => sum + piece.payloadBytes, 0)
  const progress = createProgress('receive', total, onProgress)
  for (const piece of proofs.pieces) await readPiece(client, piece, found, signal, progress.add)
  progress.done()
  const seen = new Set<string>()
  const open = [root]
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    const key = keyOf(cid)
    if (seen.has(key)) continue
    seen.add(key)
    const block = cid.multihash.code === identityHash ? noLinks : found.get(key)
    // Bytes kept as a raw block were not looked into for links.
    if (block === undefined || (block.isRaw && cid.code !== raw && cid.multihash.code !== identityHash)) {
      throw new CairnError('INCOMPLETE_DAG', {
        message: 'A block of the content is in none of the pieces',
        details: { reason: `Block ${cid} is in none of the pieces`, cid: cid.toString() },
      })
    }
    open.push(...block.links)
  }
  return { blocks: seen.size, bytes: total }
}

/** A part of a CAR that lacks the header, read as one that has it. */
async function* withHeader(source: AsyncGenerator<Uint8Array>, isHeaded: boolean): AsyncGenerator<Uint8Array> {
  if (!isHeaded) yield encodeCarHeader([])
  yield* source
}

function lookInto(cid: CID, bytes: Uint8Array): FoundBlock {
  if (cid.code === raw) return noLinks
  return { isRaw: false, links: decodeNode(cid, bytes).links.map((link) => link.cid) }
}

/** Blocks are the same whatever codec or version their CID has. */
function keyOf(cid: CID): string {
  return String.fromCharCode(...cid.multihash.bytes)
}

async function readPiece(
  client: Client,
  piece: PieceProof,
  found: Map<string, FoundBlock>,
  signal: AbortSignal | undefined,
  onBytes: (length: number) => void,
): Promise<void> {
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
        await verifyBlock(cid, bytes, hashSha256)
        found.set(keyOf(cid), lookInto(cid, bytes))
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
