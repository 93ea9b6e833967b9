import { CairnError } from '@cairn/protocol'
import type { Block, PaymentEvent } from './chain.ts'
import { applyVerdict, findPriceOfStorage, judgePayment } from './credit.ts'
import type { IndexParts } from './index-parts.ts'
import type { Answer, Endpoint, Panel } from './panel.ts'
import type { Prices } from './prices.ts'
import { findUnpriced, type PaymentRow } from './store.ts'

/** Maximum number of payments without a price that are retried per round. */
const maxUnpriced = 100
/**
 * Pause before a payment that got no price at a retry is retried again. It doubles each time, because a retry takes dozens
 * of requests to each feed.
 */
const firstPauseMs = 10_000
const maxPauseMs = 60 * 60_000
/** Maximum number of payments whose pauses are kept. Those beyond it are retried sooner. */
const maxPauses = 10_000

/**
 * Remembers prices for one round, also missing ones: the payments of a block share them, and each takes dozens of
 * requests to the feeds.
 */
export function rememberPrices(prices: Prices): Prices {
  const pricesAt = new Map<string, ReturnType<Prices['getPriceAt']>>()
  const comparisons = new Map<string, ReturnType<Prices['compareWithFloor']>>()
  return {
    getTicker: prices.getTicker,
    getPriceAt: (symbol, timeMs) => recall(pricesAt, `${symbol} ${timeMs}`, () => prices.getPriceAt(symbol, timeMs)),
    compareWithFloor: (floor, timeMs) =>
      recall(comparisons, `${floor.symbol} ${floor.price} ${timeMs}`, () => prices.compareWithFloor(floor, timeMs)),
  }
}

function recall<T>(known: Map<string, T>, key: string, read: () => T): T {
  const answer = known.get(key) ?? read()
  known.set(key, answer)
  return answer
}

/** A final payment and what it buys. */
export type Judged = { event: PaymentEvent; blockTimeMs: number; verdict: Awaited<ReturnType<typeof judgePayment>> }

/** Prices are fetched before the unit of work, which waits only for the database. */
export async function judgeAll(
  parts: IndexParts,
  events: readonly PaymentEvent[],
  times: ReadonlyMap<number, number>,
): Promise<Judged[]> {
  const judged: Judged[] = []
  for (const event of events) {
    const blockTimeMs = times.get(event.blockNumber)
    if (blockTimeMs === undefined) throw new CairnError('INTERNAL', { message: 'A payment was not confirmed' })
    const { token, units } = event
    const question = { token, units: units.toString(), block_time: blockTimeMs }
    const perGib = await findPriceOfStorage(parts.context.db.read, blockTimeMs)
    judged.push({ event, blockTimeMs, verdict: await judgePayment(parts.prices, parts.network, question, perGib) })
  }
  return judged
}

/** Pauses between the retries of payments, by their ids. */
type RetryPauses = {
  isDue(id: string, now: number): boolean
  /** Notes a retry without a result. */
  extend(id: string, now: number): void
  clear(id: string): void
}

function createRetryPauses(): RetryPauses {
  const pauses = new Map<string, { at: number; pauseMs: number }>()
  return {
    isDue(id, now) {
      const known = pauses.get(id)
      // A clock that was set back does not lengthen the pause.
      return known === undefined || now >= known.at + known.pauseMs || now < known.at
    },
    extend(id, now) {
      const pauseMs = Math.min(maxPauseMs, 2 * (pauses.get(id)?.pauseMs ?? firstPauseMs / 2))
      pauses.delete(id)
      const [oldest] = pauses.keys()
      if (pauses.size >= maxPauses && oldest !== undefined) pauses.delete(oldest)
      pauses.set(id, { at: now, pauseMs })
    },
    clear(id) {
      pauses.delete(id)
    },
  }
}

/** Retries payments without a price. @returns how many were credited */
export type UnpricedRetry = (prices: Prices, panel: Panel) => Promise<number>

/**
 * Retries payments without a price, a limited number per round, so that permanently unpriced ones do not block
 * others.
 */
export function createUnpricedRetry({ context, network, requireLease }: IndexParts): UnpricedRetry {
  const pauses = createRetryPauses()
  let after = ''
  return async (prices, panel) => {
    const rows = await findUnpriced(context.db.read, network, { after, limit: maxUnpriced })
    let endpoints = panel.endpoints
    let credited = 0
    for (const row of rows) {
      if (!pauses.isDue(row.id, context.clock.now())) continue
      const judge = async (blockTimeMs: number) => {
        const perGib = await findPriceOfStorage(context.db.read, blockTimeMs)
        return judgePayment(prices, network, { ...row, block_time: blockTimeMs }, perGib)
      }
      let blockTimeMs = row.block_time
      let verdict = await judge(blockTimeMs)
      if (verdict.state === 'unpriced') {
        const answers = await readBlockAgain(panel, endpoints, row)
        // One that does not respond costs a round its time limit once, and not for each payment.
        endpoints = answers.map(({ endpoint }) => endpoint)
        blockTimeMs = agreedTime(network.quorum, answers, row) ?? blockTimeMs
        if (blockTimeMs !== row.block_time) verdict = await judge(blockTimeMs)
      }
      if (verdict.state === 'unpriced') {
        pauses.extend(row.id, context.clock.now())
        continue
      }
      pauses.clear(row.id)
      const now = context.clock.now()
      const isDone = await context.db.write(async (trx) => {
        await requireLease(trx)
        await trx.updateTable('payment').set({ block_time: blockTimeMs }).where('id', '=', row.id).execute()
        return applyVerdict(trx, row, verdict, { config: context.config, now })
      })
      if (isDone) credited++
    }
    after = rows.length < maxUnpriced ? '' : (rows.at(-1)?.id ?? '')
    return credited
  }
}

/** Reads the block of a payment again: an only endpoint may have reported another time of it. */
async function readBlockAgain(panel: Panel, endpoints: readonly Endpoint[], { block_number: number }: PaymentRow) {
  return (await panel.settle(endpoints, ({ reader }) => reader.getBlock(number))).answers
}

/** Returns the time of the block of a payment that a quorum reads. */
function agreedTime(
  quorum: number,
  answers: readonly Answer<Block | undefined>[],
  { block_hash: hash }: PaymentRow,
): number | undefined {
  const times = answers.flatMap(({ value }) => (value?.hash === hash ? [value.timeMs] : []))
  return times.find((time) => times.filter((other) => other === time).length >= quorum)
}
