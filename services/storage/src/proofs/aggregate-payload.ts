import { type Aggregate, buildAggregate, listParts } from '@cairn/pieces'
import { CairnError, MIB } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { toPiece } from './make-aggregates.ts'
import { type PackedPart, readPacks, toParts } from './piece-payload.ts'
import type { Provider } from './provider.ts'
import { type AggregateRow, findDealsOf, findPacksOf, findPiecesOf, heldStates, type PieceRow } from './store.ts'

const stepBytes = MIB
const zeros = new Uint8Array(64 * 1024)
/** How long another provider may take for one step. */
const retrieveMs = 30_000

/** A run of an aggregate's payload that comes from one place. */
type Run = {
  readonly start: number
  readonly end: number
  readonly read: 'zeros' | 'index' | readonly PackedPart[]
}

/** The payload of an aggregate: packs, zeros and the index, without ever being one file. */
export type AggregatePayload = {
  readonly sizeBytes: number
  /**
   * Bytes from `start` up to, not including, `end`. What our own packs do not have any more comes from a provider.
   * @throws CairnError DATA_DAMAGED when nobody has it
   */
  read(start: number, end: number, signal: AbortSignal): AsyncGenerator<Uint8Array>
}

/** Opens the payload that providers fetch. */
export async function openAggregate(
  context: Context,
  providers: readonly Provider[],
  row: AggregateRow,
): Promise<AggregatePayload> {
  const pieces = await findPiecesOf(context.db.read, row.id)
  const aggregate = buildAggregate(pieces.map(toPiece))
  const runs = await listRuns(context, aggregate, pieces)
  return {
    sizeBytes: aggregate.piece.payloadBytes,
    async *read(start, end, signal) {
      for (let at = start; at < end; ) {
        signal.throwIfAborted()
        const run = runs.find((one) => at >= one.start && at < one.end)
        const next = run === undefined ? runs.find((one) => one.start > at)?.start : run.end
        const to = Math.min(end, next ?? aggregate.piece.payloadBytes, at + stepBytes)
        if (run === undefined || run.read === 'zeros') yield* readZeros(to - at)
        else if (run.read === 'index') yield aggregate.index.payload.subarray(at - run.start, to - run.start)
        else yield* readOwn(context, providers, row, run.read, { start: at, end: to, offset: at - run.start }, signal)
        at = to
      }
    },
  }
}

async function listRuns(context: Context, aggregate: Aggregate, pieces: readonly PieceRow[]): Promise<Run[]> {
  const runs: Run[] = []
  for (const part of listParts(aggregate)) {
    const start = part.payloadOffset
    if (part.kind === 'index') {
      runs.push({ start, end: start + aggregate.index.payload.length, read: 'index' })
      continue
    }
    const piece = pieces[part.segment]
    if (piece === undefined) throw new CairnError('DATA_DAMAGED', { details: { segment: part.segment } })
    const packs = await findPacksOf(context.db.read, piece.id)
    runs.push({ start, end: start + piece.payload_bytes, read: toParts(packs) })
  }
  return runs
}

function* readZeros(length: number): Generator<Uint8Array> {
  for (let left = length; left > 0; left -= zeros.length) yield zeros.subarray(0, Math.min(left, zeros.length))
}

async function* readOwn(
  context: Context,
  providers: readonly Provider[],
  row: AggregateRow,
  packs: readonly PackedPart[],
  { start, end, offset }: { start: number; end: number; offset: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield await readPacks(context.objects, packs)(offset, end - start)
    return
  } catch (error) {
    if (!CairnError.is(error, 'DATA_DAMAGED')) throw error
    context.log.warn({ aggregate: row.cid }, 'bytes of an aggregate are gone here, another provider is asked')
  }
  yield await readElsewhere(context, providers, row, { start, end }, signal)
}

/** The bytes from a provider that holds them. They are checked by whoever fetches them: the whole has a commitment. */
async function readElsewhere(
  context: Context,
  providers: readonly Provider[],
  row: AggregateRow,
  range: { start: number; end: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const deals = await findDealsOf(context.db.read, row.id)
  const held = deals.filter(({ state }) => heldStates.some((one) => one === state))
  const faults: unknown[] = []
  for (const deal of held) {
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
      if (filled === bytes.length) return bytes
      faults.push(new Error(`${deal.provider} gave ${filled} of ${bytes.length} bytes`))
    } catch (error) {
      signal.throwIfAborted()
      faults.push(error)
    }
  }
  throw new CairnError('DATA_DAMAGED', {
    details: { aggregate: row.cid },
    cause: new AggregateError(faults, 'no provider has these bytes'),
  })
}
