import { CairnError } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { type Block, type ChainReader, createChainReader, type PaymentEvent } from './chain.ts'
import { applyVerdict, judgePayment } from './credit.ts'
import type { PaymentNetwork } from './payment-settings.ts'
import type { Prices } from './prices.ts'
import { RpcRefusal } from './rpc.ts'
import { findCursor, findUnpriced, orphanUnseen, writeCursor, writePayment } from './store.ts'

/** What one round did. */
export type IndexRound = {
  /** Final blocks read in this round. */
  blocks: number
  credited: number
  seen: number
  /** Whether final blocks are left to read. */
  isBehind: boolean
}

export type IndexParts = {
  context: Pick<Context, 'db' | 'clock' | 'log' | 'config'>
  network: PaymentNetwork
  prices: Prices
  /** Refuses by throwing when this process no longer holds the lease of the job: asked within each unit of work. */
  requireLease(trx: Kysely<Schema>): Promise<void>
}

/** Payments that wait for a price, tried again in one round. */
const unpricedMost = 100
/**
 * Final blocks that are read a second time: a node behind a load balancer may have answered without events that it had not
 * seen yet. What is in the books already is not looked at again.
 */
const blocksAgain = 25
/** Blocks above the final one in which payments are shown as seen; of a chain that is long without finality, the newest. */
const unfinalMost = 2_000
/** Questions for them in one round, where an endpoint answers a few blocks at a time. */
const questionsMost = 20

/** Follows one network, a round at a time. */
export type NetworkIndexer = { round(signal?: AbortSignal): Promise<IndexRound> }

/**
 * Makes the follower of one network. Only final blocks move the cursor and are credited; payment, credit and cursor are one
 * unit of work. A round that fails, at any place, changes nothing that counts and is done again.
 */
export function createNetworkIndexer(parts: IndexParts): NetworkIndexer {
  const { network } = parts
  let endpoint = 0
  let range = network.rangeMost
  return {
    async round(signal) {
      const url = network.rpcUrls[endpoint % network.rpcUrls.length] ?? ''
      try {
        const reader = createChainReader(network, url, signal)
        const done = await indexRound(parts, reader, range, (next) => {
          range = next
        })
        return done
      } catch (error) {
        // The next round asks the next endpoint; one round asks one alone, so that head and events fit together.
        endpoint++
        await noteFault(parts, error)
        throw error
      }
    },
  }
}

async function indexRound(
  parts: IndexParts,
  reader: ChainReader,
  range: number,
  setRange: (range: number) => void,
): Promise<IndexRound> {
  const { context, network } = parts
  const { db } = context
  await reader.requireChain()
  const found = await findCursor(db.read, network)
  const isSame = found === undefined || (await isSameChain(reader, network, found))
  // Payments are known by their transactions: those that are read again are not credited again.
  const cursor = isSame ? found : undefined
  const head = await reader.getHead()
  const final = await reader.getFinal(head)
  let next = cursor === undefined ? network.startBlock : cursor.final_block + 1
  let credited = await retryUnpriced(parts)
  let blocks = 0
  const finalNumber = final?.number ?? -1

  if (finalNumber >= next) {
    const to = Math.min(finalNumber, next + range - 1)
    const from = Math.max(network.startBlock, next - Math.min(blocksAgain, range - 1))
    const before = await requireBlock(reader, to)
    let events: PaymentEvent[]
    try {
      events = await reader.getPayments(from, to)
    } catch (error) {
      if (range === 1) throw error
      // Endpoints limit the range, the size of the answer or its time, each in its own words: half of it is tried next.
      setRange(Math.max(1, Math.floor(Math.min(range, to - next + 1) / 2)))
      if (!(error instanceof RpcRefusal)) throw error
      return { blocks: 0, credited, seen: 0, isBehind: true }
    }
    // Behind a load balancer the events may come from a node that is not as far: what it lacks would be missed for good.
    const after = await requireBlock(reader, to)
    if (before.hash !== after.hash) throw unsettled(network)
    await requireSecondOpinion(network, after)
    const judged = await judgeAll(parts, reader, await leaveOutDecided(parts, events, from))
    credited += await db.write(async (trx) => {
      await parts.requireLease(trx)
      return recordFinal(parts, trx, judged, { from: next, final: after, headBlock: head.number })
    })
    blocks = to - next + 1
    setRange(Math.min(network.rangeMost, range * 2))
    next = to + 1
  }
  const isBehind = next <= finalNumber
  if (isBehind) return { blocks, credited, seen: 0, isBehind }
  try {
    return { blocks, credited, seen: await showUnfinal(parts, reader, next, head, range), isBehind }
  } catch (error) {
    if (range === 1 || !(error instanceof RpcRefusal)) throw error
    setRange(Math.max(1, Math.floor(range / 2)))
    return { blocks, credited, seen: 0, isBehind: true }
  }
}

/** What was final must be there still: a chain that lost it is not the one that was followed. */
async function isSameChain(
  reader: ChainReader,
  network: PaymentNetwork,
  cursor: { final_block: number; final_hash: string },
): Promise<boolean> {
  const block = await reader.getBlock(cursor.final_block)
  if (block?.hash === cursor.final_hash) return true
  if (network.mayRestart) return false
  if (block === undefined) {
    throw new CairnError('UPSTREAM_FAILED', {
      message: `An endpoint of ${network.name} is behind what was read before`,
    })
  }
  throw new CairnError('UPSTREAM_FAILED', {
    message: `The final block ${cursor.final_block} of ${network.name} is another one than before`,
    hint: 'Look at the endpoints: one of them is wrong, or the chain undid final blocks. Nothing is credited meanwhile.',
  })
}

async function requireBlock(reader: ChainReader, number: number): Promise<Block> {
  const block = await reader.getBlock(number)
  if (block === undefined)
    throw new CairnError('UPSTREAM_FAILED', { message: `The chain does not show block ${number}` })
  return block
}

/** A second endpoint, where there is one, must know the same final block. */
async function requireSecondOpinion(network: PaymentNetwork, { number, hash }: Block): Promise<void> {
  if (network.rpcUrls.length < 2) return
  const answers = await Promise.allSettled(
    network.rpcUrls.map((url) => createChainReader(network, url).getBlock(number)),
  )
  const known = answers.flatMap((answer) =>
    answer.status === 'fulfilled' && answer.value !== undefined ? [answer.value] : [],
  )
  if (known.some((block) => block.hash !== hash)) {
    throw new CairnError('UPSTREAM_FAILED', {
      message: `The endpoints of ${network.name} disagree about the final block ${number}`,
      hint: 'Nothing is credited until they agree: take the wrong one out of the configuration.',
    })
  }
  if (known.length < 2)
    throw new CairnError('UPSTREAM_FAILED', { message: `No second endpoint of ${network.name} answers` })
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
  return events.filter(({ txHash, ordinal }) => !decided.has(`${txHash}:${ordinal}`))
}

type Judged = { event: PaymentEvent; blockTimeMs: number; verdict: Awaited<ReturnType<typeof judgePayment>> }

/** Prices are asked for before the unit of work, which waits for nothing but the database. */
async function judgeAll(parts: IndexParts, reader: ChainReader, events: readonly PaymentEvent[]): Promise<Judged[]> {
  const times = new Map<number, number>()
  const judged: Judged[] = []
  for (const event of events) {
    let blockTimeMs = times.get(event.blockNumber)
    if (blockTimeMs === undefined) {
      const block = await requireBlock(reader, event.blockNumber)
      if (block.hash !== event.blockHash) throw unsettled(parts.network)
      blockTimeMs = block.timeMs
      times.set(event.blockNumber, blockTimeMs)
    }
    const { token, units } = event
    const question = { token, units: units.toString(), block_time: blockTimeMs }
    judged.push({ event, blockTimeMs, verdict: await judgePayment(parts.prices, parts.network, question) })
  }
  return judged
}

async function recordFinal(
  { context, network }: IndexParts,
  trx: Kysely<Schema>,
  judged: readonly Judged[],
  { from, final, headBlock }: { from: number; final: Block; headBlock: number },
): Promise<number> {
  const now = context.clock.now()
  const kept = new Set<string>()
  let credited = 0
  for (const { event, blockTimeMs, verdict } of judged) {
    const row = await writePayment(trx, network, event, { blockTimeMs, now })
    kept.add(row.id)
    if (await applyVerdict(trx, row, verdict, { freeBytes: context.config.freeBytes, now })) credited++
  }
  await orphanUnseen(trx, network, { from, to: final.number, kept, now })
  await writeCursor(trx, network, { final, headBlock, now })
  return credited
}

/** Shows what is in blocks that are not final yet; none of it counts. */
async function showUnfinal(
  parts: IndexParts,
  reader: ChainReader,
  next: number,
  head: Block,
  range: number,
): Promise<number> {
  const { context, network } = parts
  const from = Math.max(next, head.number - Math.min(unfinalMost, questionsMost * range) + 1)
  const events: PaymentEvent[] = []
  for (let at = from; at <= head.number; at += range) {
    events.push(...(await reader.getPayments(at, Math.min(head.number, at + range - 1))))
  }
  const now = context.clock.now()
  await context.db.write(async (trx) => {
    await parts.requireLease(trx)
    const kept = new Set<string>()
    for (const event of events) {
      const row = await writePayment(trx, network, event, { blockTimeMs: head.timeMs, now })
      kept.add(row.id)
    }
    await orphanUnseen(trx, network, { from, to: Number.MAX_SAFE_INTEGER, kept, now })
    await trx
      .updateTable('chain_cursor')
      .set({ head_block: head.number, checked_at: now, fault: null })
      .where('chain_id', '=', network.chainId)
      .execute()
  })
  return events.length
}

async function retryUnpriced({ context, network, prices, requireLease }: IndexParts): Promise<number> {
  let credited = 0
  for (const row of await findUnpriced(context.db.read, network, unpricedMost)) {
    const verdict = await judgePayment(prices, network, row)
    if (verdict.state === 'unpriced') continue
    const now = context.clock.now()
    const isDone = await context.db.write(async (trx) => {
      await requireLease(trx)
      return applyVerdict(trx, row, verdict, { freeBytes: context.config.freeBytes, now })
    })
    if (isDone) credited++
  }
  return credited
}

/** Users and operators see why nothing is credited. */
async function noteFault({ context, network }: IndexParts, error: unknown): Promise<void> {
  const fault = error instanceof CairnError ? error.message : 'The chain could not be read'
  try {
    await context.db.write((trx) =>
      trx.updateTable('chain_cursor').set({ fault }).where('chain_id', '=', network.chainId).execute(),
    )
  } catch (cause) {
    context.log.error({ err: cause, network: network.name }, 'a fault of a chain could not be written down')
  }
}

function unsettled(network: PaymentNetwork): CairnError {
  return new CairnError('UPSTREAM_FAILED', { message: `The chain ${network.name} changed while it was read` })
}
