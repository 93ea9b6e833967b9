import { CairnError, paymentReason } from '@cairn/protocol'
import { reasonOfChain } from '@cairn/service'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { PaymentNetwork } from '../settings/payment-settings.ts'
import type { Block, PaymentEvent } from './chain.ts'
import { applyVerdict } from './credit.ts'
import type { IndexParts } from './index-parts.ts'
import { createUnpricedRetry, type Judged, judgeAll, rememberPrices, type UnpricedRetry } from './judge-round.ts'
import { requireNoneOmitted } from './missing-payments.ts'
import { type Answer, createPanels, type Endpoint, type Failure, type Panel } from './panel.ts'
import {
  confirmEvents,
  describeContradiction,
  type Evidence,
  keyOfEvidence,
  readEvidence,
  type Sighting,
  sight,
} from './read-final.ts'
import { RpcRefusal } from './rpc.ts'
import { showUnfinal } from './show-unfinal.ts'
import { type CursorRow, findCursor, findMissing, nameOf, orphanUnseen, writeCursor, writePayment } from './store.ts'

export type { IndexParts } from './index-parts.ts'

/** Result of one round. */
export type IndexRound = {
  /** Final blocks read in this round. */
  blocks: number
  credited: number
  seen: number
  /** Whether final blocks are left to read. */
  isBehind: boolean
}

/**
 * Final blocks that are read a second time: a node behind a load balancer may have answered without events that it
 * had not seen yet. Payments that are already recorded are skipped.
 */
const blocksAgain = 25
/**
 * How long the rounds after a complete one only compare heads and final blocks, in ms. A block names its ancestors, so
 * endpoints with the same ones have nothing new. The limit is for the cursor, by which other replicas and users see when
 * the chain was checked.
 */
const quietMs = 30_000
/** Maximum number of payments confirmed per round: a failed round repeats them all. */
const maxEvents = 500

/** Follows one network, one round at a time. */
export type NetworkIndexer = { round(signal?: AbortSignal): Promise<IndexRound> }

/**
 * Creates the follower of one network. Only what a quorum of the endpoints agrees on counts: the final height, its
 * last block, each payment in the range, the receipt and the block of each payment. Only final blocks move the cursor
 * and are credited; payment, credit and cursor are one unit of work. A failed round changes nothing that counts and
 * is repeated.
 */
export function createNetworkIndexer(parts: IndexParts): NetworkIndexer {
  const { network } = parts
  const range = createRange(network.maxRange)
  const retryUnpriced = createUnpricedRetry(parts)
  const openPanel = createPanels(network, parts.context)
  const { clock } = parts.context
  /** The state of each endpoint in the last complete round, by index, and the time of the round. */
  let quiet: { states: ReadonlyMap<number, string>; at: number } | undefined
  const isQuiet = async (panel: Panel): Promise<boolean> => {
    if (quiet === undefined || clock.now() < quiet.at || clock.now() >= quiet.at + quietMs) return false
    const { states } = quiet
    const { answers } = await panel.settle(panel.endpoints, async ({ reader }) => {
      const head = await reader.getHead()
      return describeEnd(network, { head, final: 'tag' in network.finality ? await reader.getFinal(head) : undefined })
    })
    return (
      answers.length === states.size && answers.every(({ endpoint, value }) => states.get(endpoint.index) === value)
    )
  }
  return {
    async round(signal) {
      const panel = openPanel(signal)
      const prices = rememberPrices(parts.prices)
      try {
        if (await isQuiet(panel))
          return { blocks: 0, credited: await retryUnpriced(prices, panel), seen: 0, isBehind: false }
        quiet = undefined
        const at = clock.now()
        const { voters, ...round } = await indexRound({ ...parts, prices }, panel, range, retryUnpriced)
        if (!round.isBehind && voters.length === network.rpcUrls.length) {
          quiet = {
            states: new Map(voters.map(({ endpoint, value }) => [endpoint.index, describeEnd(network, value)])),
            at,
          }
        }
        return round
      } catch (error) {
        await noteFailure(parts, error)
        throw error
      } finally {
        panel.close()
      }
    },
  }
}

/**
 * Number of blocks per query: endpoints limit the range, the size of the answer or its time, and report this
 * differently.
 */
type Range = { readonly blocks: number; halve(used?: number): void; grow(): void }

function createRange(maxBlocks: number): Range {
  let blocks = maxBlocks
  return {
    get blocks() {
      return blocks
    },
    halve(used = blocks) {
      blocks = Math.max(1, Math.floor(Math.min(blocks, used) / 2))
    },
    grow() {
      blocks = Math.min(maxBlocks, blocks * 2)
    },
  }
}

async function indexRound(
  parts: IndexParts,
  panel: Panel,
  range: Range,
  retryUnpriced: UnpricedRetry,
): Promise<IndexRound & { voters: readonly Answer<Sighting>[] }> {
  const { context, network } = parts
  const { voters, cursor } = await findVoters(parts, panel)
  const headNumber = agreedBy(network, voters, ({ head }) => head.number)
  const finalNumber = agreedBy(network, voters, ({ final }) => final?.number ?? -1)
  let next = cursor === undefined ? network.startBlock : cursor.final_block + 1
  let credited = await retryUnpriced(parts.prices, panel)
  let blocks = 0

  if (finalNumber >= next) {
    const from = Math.max(network.startBlock, next - Math.min(blocksAgain, Math.floor(range.blocks / 2)))
    // Both kinds of blocks together: endpoints limit the range of a query.
    const to = Math.min(finalNumber, from + range.blocks - 1)
    const wide = { blocks: 0, credited, seen: 0, isBehind: true, voters }
    const agreed = await readAgreed(parts, panel, range, voters, { from, to })
    if (agreed === undefined) return wide
    const { block, events } = agreed.evidence
    const undecided = await leaveOutDecided(parts, events, from)
    if (undecided.length > maxEvents && range.blocks > 1) {
      range.halve(to - next + 1)
      return wide
    }
    const reported = new Set(events.map(nameOf))
    const missing = await findMissing(context.db.read, network, { from: next, to, reported })
    const later = await requireNoneOmitted(network, panel, agreed.endpoints, missing, { from, to })
    const times = await confirm(parts, panel, agreed, undecided)
    const judged = await judgeAll(parts, undecided, times)
    credited += await context.db.write(async (trx) => {
      await parts.requireLease(trx)
      return recordFinal(parts, trx, judged, {
        from: next,
        final: block,
        headBlock: headNumber,
        kept: new Set([...reported, ...later]),
      })
    })
    blocks = to - next + 1
    range.grow()
    next = to + 1
  }
  context.metrics.chainReadBlock.set({ network: network.name }, next - 1)
  const isBehind = next <= finalNumber
  if (isBehind) return { blocks, credited, seen: 0, isBehind, voters }
  const seen = await showUnfinal(parts, panel, voters, { next, headNumber, range: range.blocks })
  if (seen !== undefined) return { blocks, credited, seen, isBehind, voters }
  range.halve()
  return { blocks, credited, seen: 0, isBehind: true, voters }
}

/** Returns the state of an endpoint: its head, and its final block unless that follows from counting. */
function describeEnd({ finality }: PaymentNetwork, { head, final }: Pick<Sighting, 'head' | 'final'>): string {
  return 'tag' in finality ? `${head.hash} ${final?.hash}` : head.hash
}

/** Returns the greatest number that a quorum reaches. */
function agreedBy(
  { quorum }: PaymentNetwork,
  voters: readonly Answer<Sighting>[],
  numberOf: (sighting: Sighting) => number,
): number {
  const numbers = voters.map(({ value }) => numberOf(value)).sort((a, b) => b - a)
  return numbers[quorum - 1] ?? -1
}

/** Finds the endpoints that confirm what was read before, and where reading continues. */
async function findVoters(
  { context, network }: IndexParts,
  panel: Panel,
): Promise<{ voters: Answer<Sighting>[]; cursor: CursorRow | undefined }> {
  const found = await findCursor(context.db.read, network)
  const sightings = await panel.ask(panel.endpoints, (reader) => sight(reader, found?.final_block))
  for (const { endpoint, value } of sightings) {
    const labels = { network: network.name, endpoint: String(endpoint.index) }
    context.metrics.chainHeadBlock.set(labels, value.head.number)
    context.metrics.chainFinalBlock.set(labels, value.final?.number ?? -1)
  }
  if (found === undefined) return { voters: sightings, cursor: undefined }
  const isSame = ({ value }: Answer<Sighting>) => value.last?.hash === found.final_hash
  const voters = sightings.filter(isSame)
  // Transactions identify payments: those that are read again are not credited again.
  if (voters.length < network.quorum && network.mayRestart) return { voters: sightings, cursor: undefined }
  const failures = sightings
    .filter((sighting) => !isSame(sighting))
    .map(({ endpoint, value }): Failure => ({ endpoint, error: describeLoss(network, found, value) }))
  // Final blocks must still exist: a chain without them is not the one that was followed.
  const changed = failures.find(({ endpoint }) => sightings.some((s) => s.endpoint === endpoint && s.value.last))
  if (voters.length < network.quorum) throw (changed ?? failures[0])?.error
  panel.note(failures, voters.length)
  return { voters, cursor: found }
}

function describeLoss({ name }: PaymentNetwork, cursor: CursorRow, { last }: Sighting): CairnError {
  if (last === undefined) {
    return new CairnError('UPSTREAM_FAILED', { message: `An endpoint of ${name} is behind the blocks already read` })
  }
  return new CairnError('UPSTREAM_FAILED', {
    message: `The final block ${cursor.final_block} of ${name} changed`,
    hint: 'Check the endpoints. Either one of them is wrong, or the chain reverted final blocks. Crediting is paused.',
  })
}

type Agreed = { endpoints: Endpoint[]; evidence: Evidence }

/** Returns what a quorum agrees on in a range of final blocks; undefined if the range must be smaller. */
async function readAgreed(
  { network, context }: IndexParts,
  panel: Panel,
  range: Range,
  voters: readonly Answer<Sighting>[],
  { from, to }: { from: number; to: number },
): Promise<Agreed | undefined> {
  const asked = voters.filter(({ value }) => (value.final?.number ?? -1) >= to).map(({ endpoint }) => endpoint)
  const { answers, failures } = await panel.settle(asked, ({ reader }) => readEvidence(network, reader, from, to))
  if (answers.length < network.quorum && range.blocks > 1) {
    range.halve(to - from + 1)
    if (failures.some(({ error }) => error instanceof RpcRefusal)) return undefined
  }
  panel.note(failures, answers.length)
  const agreed = panel.agree(answers, keyOfEvidence, (all) => {
    context.metrics.chainDisagreements.inc({ network: network.name })
    return describeContradiction(network, from, to, all)
  })
  return { endpoints: agreed.map(({ endpoint }) => endpoint), evidence: agreed[0].value }
}

/** Confirms each payment by a quorum. @returns the time of each block, in ms */
async function confirm(
  { network, context }: IndexParts,
  panel: Panel,
  { endpoints, evidence }: Agreed,
  undecided: readonly PaymentEvent[],
): Promise<ReadonlyMap<number, number>> {
  if (undecided.length === 0) return new Map()
  const answers = await panel.ask(endpoints, (reader) => confirmEvents(network, reader, undecided, evidence.events))
  const [{ value }] = panel.agree(
    answers,
    (times) => JSON.stringify([...times]),
    () => {
      context.metrics.chainDisagreements.inc({ network: network.name })
      return new CairnError('UPSTREAM_FAILED', {
        message: `The endpoints of ${network.name} disagree about the time of a block with a payment`,
      })
    },
  )
  return value
}

async function leaveOutDecided(
  { context, network }: IndexParts,
  events: readonly PaymentEvent[],
  from: number,
): Promise<PaymentEvent[]> {
  if (events.length === 0) return []
  const rows = await context.db.read
    .selectFrom('payment')
    .select(['tx_hash', 'ordinal'])
    .where('chain_id', '=', network.chainId)
    .where('block_number', '>=', from)
    .where('state', 'in', ['credited', 'refused', 'unpriced'])
    .execute()
  const decided = new Set(rows.map((row) => `${row.tx_hash}:${row.ordinal}`))
  return events.filter((event) => !decided.has(nameOf(event)))
}

async function recordFinal(
  { context, network }: IndexParts,
  trx: Kysely<Schema>,
  judged: readonly Judged[],
  { from, final, headBlock, kept }: { from: number; final: Block; headBlock: number; kept: ReadonlySet<string> },
): Promise<number> {
  const now = context.clock.now()
  let credited = 0
  for (const { event, blockTimeMs, verdict } of judged) {
    const row = await writePayment(trx, network, event, { blockTimeMs, now })
    if (await applyVerdict(trx, row, verdict, { config: context.config, now })) credited++
  }
  await orphanUnseen(trx, network, { from, to: final.number, kept, now })
  await writeCursor(trx, network, { final, headBlock, now })
  return credited
}

/** Shows users and operators why nothing is credited. Only the replica that follows the chain records it. */
async function noteFailure({ context, network, requireLease }: IndexParts, error: unknown): Promise<void> {
  const { reason, reasonFacts } = CairnError.is(error) ? reasonOfChain(error) : paymentReason('CHAIN_NOT_READ')
  const change = { fault: reason, fault_facts: JSON.stringify(reasonFacts) }
  try {
    await context.db.write(async (trx) => {
      await requireLease(trx)
      await trx.updateTable('chain_cursor').set(change).where('chain_id', '=', network.chainId).execute()
    })
  } catch (cause) {
    if (CairnError.is(cause, 'CONFLICT')) return
    context.log.error({ err: cause, network: network.name }, 'failed to record a chain error')
  }
}
