import {
  type Aggregate,
  buildAggregate,
  createPieceHasher,
  hashKeptNodes,
  keptLevel,
  keptPayloadBytes,
  listParts,
  type PayloadRange,
  type PieceTree,
} from '@cairn/pieces'
import { CairnError, MIB } from '@cairn/protocol'
import type { Context } from '../context.ts'
import {
  type AggregateRow,
  findPacksOfAll,
  findPiecesOf,
  type PackedPart,
  type PieceRow,
  readPacks,
  readTree,
  toParts,
  toPiece,
} from '../pieces/pieces.ts'
import type { Provider } from '../providers/providers.ts'
import { findDealsOf, isHeld } from './store.ts'

/** Maximum number of bytes read at once. */
export const payloadStepBytes = MIB
const zeros = new Uint8Array(64 * 1024)
/** Time limit for one step of another provider. */
const retrieveMs = 30_000

/** A contiguous part of an aggregate's payload from one source. */
type Run = {
  readonly start: number
  readonly end: number
  readonly read: 'index' | { readonly piece: PieceRow; readonly packs: readonly PackedPart[] }
}

/** The payload of an aggregate: packs, zeros and the index, streamed without a file. */
export type AggregatePayload = {
  readonly sizeBytes: number
  /**
   * Bytes from `start` up to, but not including, `end`. Bytes missing from our own packs come from a provider.
   * @param buffer for {@link payloadStepBytes}; a piece is then valid until the next one is requested
   * @throws CairnError DATA_DAMAGED when no source has it
   */
  read(start: number, end: number, signal: AbortSignal, buffer?: Uint8Array): AsyncGenerator<Uint8Array>
}

/**
 * Opens the payload that providers fetch. `isDoubted` is set when a provider rejected it before: our own bytes are
 * then compared with the commitment as they are sent, and damaged ones come from a provider as well.
 */
export async function openAggregate(
  context: Context,
  providers: readonly Provider[],
  row: AggregateRow,
  isDoubted: boolean,
): Promise<AggregatePayload> {
  const pieces = await findPiecesOf(context.db.read, row.id)
  const aggregate = buildAggregate(pieces.map(toPiece))
  const runs = await listRuns(context, aggregate, pieces, row)
  const sources: Sources = { context, providers, row, isDoubted, trees: new Map() }
  return {
    sizeBytes: aggregate.piece.payloadBytes,
    async *read(start, end, signal, buffer) {
      const work = context.userPriority.begin()
      let at = start
      // Runs are in order: those before the start are skipped, and gaps between two are zeros.
      for (const run of runs) {
        if (run.end <= at) continue
        if (run.start >= end) break
        if (run.start > at) {
          yield* readZeros(run.start - at)
          at = run.start
        }
        for (const last = Math.min(end, run.end); at < last; ) {
          signal.throwIfAborted()
          if (at > start) await work.giveWay(signal)
          const to = Math.min(last, at + payloadStepBytes)
          if (run.read === 'index') yield aggregate.index.payload.subarray(at - run.start, to - run.start)
          else
            yield await readOfPiece(
              sources,
              run.start,
              run.read,
              { start: at - run.start, end: to - run.start },
              signal,
              buffer,
            )
          at = to
        }
      }
      yield* readZeros(end - at)
    },
  }
}

async function listRuns(
  { db }: Context,
  aggregate: Aggregate,
  pieces: readonly PieceRow[],
  row: AggregateRow,
): Promise<Run[]> {
  const packs = await findPacksOfAll(db.read, row.id)
  return listParts(aggregate).map((part): Run => {
    const start = part.payloadOffset
    if (part.kind === 'index') return { start, end: start + aggregate.index.payload.length, read: 'index' }
    const piece = pieces[part.segment]
    if (piece === undefined) throw new CairnError('DATA_DAMAGED', { details: { segment: part.segment } })
    return {
      start,
      end: start + piece.payload_bytes,
      read: { piece, packs: toParts(packs.get(piece.id) ?? []) },
    }
  })
}

function* readZeros(length: number): Generator<Uint8Array> {
  for (let left = length; left > 0; left -= zeros.length) yield zeros.subarray(0, Math.min(left, zeros.length))
}

/** Byte sources. `trees` are those of the pieces read, for comparison. */
type Sources = {
  readonly context: Context
  readonly providers: readonly Provider[]
  readonly row: AggregateRow
  readonly isDoubted: boolean
  readonly trees: Map<string, Promise<PieceTree | undefined>>
}

/** Reads bytes of a piece that begins at `pieceStart` of the aggregate. The range is relative to the piece. */
async function readOfPiece(
  sources: Sources,
  pieceStart: number,
  { piece, packs }: Exclude<Run['read'], 'index'>,
  { start, end }: PayloadRange,
  signal: AbortSignal,
  buffer: Uint8Array | undefined,
): Promise<Uint8Array> {
  const { context, row, isDoubted, trees } = sources
  const readOwn = readPacks(context.objects, packs)
  const findTree = () => {
    const known = trees.get(piece.id) ?? findTreeOf(context, piece)
    trees.set(piece.id, known)
    return known
  }
  try {
    if (!isDoubted) return await readOwn(start, end - start, buffer)
    const wide = widen({ start, end }, piece)
    const bytes = await readOwn(wide.start, wide.end - wide.start)
    if (isPartOf(await findTree(), wide, bytes)) return bytes.subarray(start - wide.start, end - wide.start)
  } catch (error) {
    if (!CairnError.is(error, 'DATA_DAMAGED')) throw error
  }
  context.log.warn(
    { aggregate: row.cid, piece: piece.cid },
    'local bytes are missing or damaged, reading from a provider',
  )
  const wide = widen({ start, end }, piece)
  const tree = await findTree()
  const bytes = await readElsewhere(
    sources,
    { start: pieceStart + wide.start, end: pieceStart + wide.end },
    (some) => isPartOf(tree, wide, some),
    signal,
  )
  return bytes.subarray(start - wide.start, end - wide.start)
}

/** Without its tree a piece cannot be compared in parts; the provider that fetches it checks the whole. */
async function findTreeOf({ objects, log }: Context, piece: PieceRow): Promise<PieceTree | undefined> {
  try {
    return await readTree(objects, piece)
  } catch (error) {
    if (!CairnError.is(error, 'DATA_DAMAGED')) throw error
    log.error({ err: error, piece: piece.cid }, 'tree of a piece is missing')
    return undefined
  }
}

/** Extends the range to the whole payload below the nodes that it touches. */
function widen({ start, end }: PayloadRange, piece: PieceRow): PayloadRange {
  return {
    start: Math.floor(start / keptPayloadBytes) * keptPayloadBytes,
    end: Math.min(Math.ceil(end / keptPayloadBytes) * keptPayloadBytes, piece.payload_bytes),
  }
}

function isPartOf(tree: PieceTree | undefined, { start }: PayloadRange, bytes: Uint8Array): boolean {
  if (tree === undefined) return true
  if (tree.piece.height < keptLevel) {
    const hasher = createPieceHasher()
    hasher.write(bytes)
    return Buffer.from(hasher.finish().piece.root).equals(tree.piece.root)
  }
  const nodes = hashKeptNodes(bytes)
  const first = (start / keptPayloadBytes) * 32
  return Buffer.from(nodes).equals(tree.nodes.subarray(first, first + nodes.length))
}

/**
 * Reads bytes from a provider that holds them, or else from one that lost them for the service: it may only have been
 * silent. The range is relative to the aggregate.
 */
async function readElsewhere(
  { context, providers, row }: Sources,
  range: PayloadRange,
  isRight: (bytes: Uint8Array) => boolean,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const deals = await findDealsOf(context.db.read, row.id)
  const held = deals.filter(isHeld)
  const lost = deals.filter(({ state }) => state === 'faulted')
  const failures: unknown[] = []
  for (const deal of [...held, ...lost]) {
    const provider = providers.find(({ name }) => name === deal.provider)
    if (provider === undefined) continue
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(retrieveMs)])
      const bytes = new Uint8Array(range.end - range.start)
      let filled = 0
      for await (const part of provider.retrieve(row.cid, range, { signal: limit })) {
        if (filled + part.length > bytes.length) break
        bytes.set(part, filled)
        filled += part.length
      }
      if (filled === bytes.length && isRight(bytes)) return bytes
      failures.push(new Error(`${deal.provider} returned ${filled} of ${bytes.length} bytes, or wrong bytes`))
    } catch (error) {
      signal.throwIfAborted()
      failures.push(error)
    }
  }
  throw new CairnError('DATA_DAMAGED', {
    details: { aggregate: row.cid },
    cause: new AggregateError(failures, 'no provider has these bytes'),
  })
}
