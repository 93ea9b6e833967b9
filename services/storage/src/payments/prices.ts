import { CairnError, type CoinPrice } from '@cairn/protocol'
import { type Dependency, isUpcoming } from '@cairn/service'
import type { Context } from '../context.ts'
import type { PriceFeed, PriceSource, TokenFloor } from '../settings/payment-settings.ts'
import { createFeedReader, type FeedReader, type FeedRound } from './feed.ts'
import { findLastBefore, findNext, findPrevious } from './feed-rounds.ts'

/** A price, and the feed round it comes from. */
export type PricedAt = CoinPrice & { source: string; atMs: number }

/** Prices of coins. Users see prices from the same rounds that payments are credited at. */
export type Prices = {
  /** The price now. @throws CairnError PRICE_UNKNOWN (no source, or none that is fresh) */
  getTicker(symbol: string): Promise<PricedAt>
  /**
   * Returns the price for a payment in a block of that time: the highest that applied in the ten minutes before, and
   * within {@link maxBlockLagMs} of it, because it may have been quoted to a user. The answer never changes after that.
   * @returns undefined while no price is fresh enough
   */
  getPriceAt(symbol: string, timeMs: number): Promise<PricedAt | undefined>
  /**
   * Whether a token reaches its minimum value, now or when it was paid; the latter uses the round that applied then,
   * not the highest of a quote.
   * @returns `unknown` while no price is fresh enough
   */
  compareWithFloor(floor: TokenFloor, timeMs: number): Promise<'above' | 'below' | 'unknown'>
}

/** Lifetime of a quote. */
export const quoteLifetimeMs = 10 * 60_000
/**
 * How far the time of a block is behind the clock of the service when a payment reaches it: a block has the time at
 * which its making began (Filecoin: up to 30 s before), and clocks differ.
 */
export const maxBlockLagMs = 60_000
/** Tolerated delay of a feed beyond its heartbeat. */
const marginMs = 10 * 60_000
const tickerKeepMs = 10_000
/** Maximum number of cached past prices, one per waiting payment. */
const maxPast = 1_000
/** Maximum number of rounds per quote window: feeds answer at most every few seconds. */
const maxWindowRounds = 400

export function createPrices(context: PricesContext, sources: readonly PriceSource[]): Prices {
  const { clock } = context
  const kept = new Map<string, { until: number; answer: Promise<PricedAt> }>()

  const readTicker = async (symbol: string): Promise<PricedAt> => {
    const source = findSource(sources, symbol)
    if (source === undefined) {
      throw new CairnError('PRICE_UNKNOWN', {
        message: `No price source is configured for ${symbol}`,
        hint: 'Pay in a stablecoin, or in the coin of another chain.',
      })
    }
    const now = clock.now()
    const readLatest: ReadRound = async (feed, reader) => {
      const latest = await reader.getLatest()
      return (await isUsable(feed, reader, latest, now, now)) ? latest : undefined
    }
    // One endpoint may be a round ahead of another.
    const isNear = (one: PricedAt, other: PricedAt) => !differ(one, other, source.deviationPercent)
    const found = await pickAgreeing(context, source, readLatest, isNear)
    if (!CairnError.is(found)) return found
    throw new CairnError('PRICE_UNKNOWN', { message: found.message, details: { symbol } })
  }

  /** Rounds that applied at a time never change, and waiting payments request them repeatedly. */
  const past = new Map<string, PricedAt>()
  const findPast = async (source: PriceSource, timeMs: number): Promise<PricedAt | undefined> => {
    const key = `${source.symbol} ${timeMs}`
    const known = past.get(key)
    if (known !== undefined) return known
    const found = await pickAgreeing(
      context,
      source,
      async (feed, reader) => {
        const round = await findLastBefore(reader, await reader.getLatest(), timeMs)
        if (round === undefined) return undefined
        return (await isUsable(feed, reader, round, timeMs, clock.now())) ? round : undefined
      },
      isEqual,
    )
    if (CairnError.is(found)) return undefined
    const [oldest] = past.keys()
    if (past.size >= maxPast && oldest !== undefined) past.delete(oldest)
    past.set(key, found)
    return found
  }

  const prices: Prices = {
    getTicker(symbol) {
      const name = symbol.toUpperCase()
      const now = clock.now()
      const known = kept.get(name)
      if (known !== undefined && isUpcoming(known.until, now, tickerKeepMs)) return known.answer
      const answer = readTicker(name)
      // Only for configured coins, so that unknown names cannot fill the memory.
      if (findSource(sources, name) !== undefined) {
        kept.set(name, { until: now + tickerKeepMs, answer })
        answer.catch(() => kept.delete(name))
      }
      return answer
    },
    async getPriceAt(symbol, timeMs) {
      const source = findSource(sources, symbol)
      if (source === undefined) return undefined
      const pick = (endMs: number) =>
        pickAgreeing(
          context,
          source,
          (feed, reader) => findRoundAt(feed, reader, { timeMs, endMs }, clock.now()),
          isEqual,
        )
      const endMs = timeMs + maxBlockLagMs
      let found = await pick(endMs)
      // Before that time, one endpoint may be a round ahead of another.
      if (CairnError.is(found, 'UPSTREAM_FAILED') && clock.now() <= endMs) found = await pick(timeMs)
      if (!CairnError.is(found)) return found
      // A missing price may stay missing; endpoints that contradict each other need an operator.
      if (found.code === 'UPSTREAM_FAILED')
        context.dependencies.add({ kind: 'feed', name: source.symbol }).failed(found)
      return undefined
    },
    async compareWithFloor(floor, timeMs) {
      const source = findSource(sources, floor.symbol)
      if (source === undefined) return 'unknown'
      const now = await prices.getTicker(floor.symbol).catch((error: unknown) => {
        if (CairnError.is(error, 'PRICE_UNKNOWN')) return undefined
        throw error
      })
      if (now !== undefined && isAtLeast(now, floor.price)) return 'above'
      const then = await findPast(source, timeMs)
      if (then !== undefined && isAtLeast(then, floor.price)) return 'above'
      return now === undefined && then === undefined ? 'unknown' : 'below'
    },
  }
  return prices
}

function isAtLeast({ price, decimals }: CoinPrice, dollars: number): boolean {
  return price * 1_000_000n >= BigInt(Math.round(dollars * 1_000_000)) * 10n ** BigInt(decimals)
}

function findSource(sources: readonly PriceSource[], symbol: string): PriceSource | undefined {
  return sources.find((source) => source.symbol === symbol.toUpperCase())
}

type PricesContext = Pick<Context, 'clock' | 'log' | 'dependencies'>

/** Finds a round at one endpoint of a feed. */
type ReadRound = (feed: PriceFeed, reader: FeedReader) => Promise<FeedRound | undefined>

/**
 * Queries all feeds of a coin; the first with a price wins, unless another contradicts it.
 * @returns PRICE_UNKNOWN if none has a price, UPSTREAM_FAILED if they contradict each other
 */
async function pickAgreeing(
  { dependencies }: PricesContext,
  { symbol, feeds, deviationPercent }: PriceSource,
  read: ReadRound,
  isSame: (one: PricedAt, other: PricedAt) => boolean,
): Promise<PricedAt | CairnError> {
  const found: PricedAt[] = []
  let first = 0
  for (const feed of feeds) {
    // Numbers the endpoints of all feeds consecutively, as in the settings.
    const endpoints = feed.rpcUrls.map((url, i) => ({
      url,
      dependency: dependencies.add({ kind: 'feed', name: symbol, endpoint: first + i }),
    }))
    first += endpoints.length
    const answers = await Promise.all(endpoints.map((endpoint) => readPrice(endpoint, feed, read)))
    const priced = answers.flatMap((answer) => answer ?? [])
    const agreed = priced.find((one) => priced.filter((other) => isSame(one, other)).length >= feed.quorum)
    if (agreed !== undefined) found.push(agreed)
    else if (priced.length >= feed.quorum) {
      const message = `The endpoints of the ${symbol} price feed ${feed.address} disagree`
      return new CairnError('UPSTREAM_FAILED', { message })
    }
  }
  const [price, ...others] = found
  if (price === undefined) {
    return new CairnError('PRICE_UNKNOWN', { message: `No current price is available for ${symbol}` })
  }
  const rival = others.find((other) => differ(price, other, deviationPercent))
  if (rival === undefined) return price
  return new CairnError('UPSTREAM_FAILED', {
    message: `The price feeds of ${symbol} disagree: ${price.source} and ${rival.source}`,
  })
}

/** Returns a feed's price at one endpoint; undefined if none counts or the endpoint did not answer. */
async function readPrice(
  { url, dependency }: { url: string; dependency: Dependency },
  feed: PriceFeed,
  read: ReadRound,
): Promise<PricedAt | undefined> {
  try {
    const reader = createFeedReader(feed, url)
    const round = await read(feed, reader)
    const decimals = round === undefined ? 0 : await reader.getDecimals()
    dependency.succeeded()
    if (round === undefined) return undefined
    return { price: round.price, decimals, source: `${feed.address}#${round.roundId}`, atMs: round.updatedAtMs }
  } catch (error) {
    dependency.failed(error)
    return undefined
  }
}

/** Past rounds never change, so endpoints must return the same one. */
function isEqual(one: PricedAt, other: PricedAt): boolean {
  return (
    one.source === other.source &&
    one.price === other.price &&
    one.decimals === other.decimals &&
    one.atMs === other.atMs
  )
}

/** Whether two prices differ by more than the given percentage of the lower one. */
function differ(one: CoinPrice, other: CoinPrice, percent: number): boolean {
  const a = one.price * 10n ** BigInt(other.decimals)
  const b = other.price * 10n ** BigInt(one.decimals)
  const [low, high] = a < b ? [a, b] : [b, a]
  return (high - low) * 10_000n > low * BigInt(Math.round(percent * 100))
}

async function isUsable(
  feed: PriceFeed,
  reader: FeedReader,
  round: FeedRound,
  timeMs: number,
  nowMs: number,
): Promise<boolean> {
  if (round.price <= 0n || isStaleAt(feed, round, timeMs)) return false
  return reader.isSequencerUp(nowMs)
}

function isStaleAt({ heartbeatMs }: PriceFeed, { updatedAtMs }: FeedRound, timeMs: number): boolean {
  return timeMs - updatedAtMs > heartbeatMs + marginMs
}

/**
 * Returns the round for a block's time: the highest of those that applied in the quote window before it, or began until
 * `endMs`. When the feed was silent for too long, or had no price in all that time, the first one with a price after it.
 */
async function findRoundAt(
  feed: PriceFeed,
  reader: FeedReader,
  { timeMs, endMs }: { timeMs: number; endMs: number },
  nowMs: number,
): Promise<FeedRound | undefined> {
  const latest = await reader.getLatest()
  const last = await findLastBefore(reader, latest, timeMs)
  if (last === undefined || !(await reader.isSequencerUp(nowMs))) return undefined
  const priced: FeedRound[] = []
  const consider = (round: FeedRound): void => {
    if (round.price > 0n) priced.push(round)
  }
  const isStale = isStaleAt(feed, last, timeMs)
  if (!isStale) {
    consider(last)
    const startMs = timeMs - quoteLifetimeMs
    let round: FeedRound | undefined = last
    for (let i = 0; i < maxWindowRounds && round.updatedAtMs > startMs; i++) {
      round = await findPrevious(reader, round)
      // A round that was stale before the window began was never quoted.
      if (round === undefined || isStaleAt(feed, round, startMs)) break
      consider(round)
    }
  }
  let round: FeedRound | undefined = last
  for (let i = 0; i < maxWindowRounds; i++) {
    round = await findNext(reader, round, latest)
    // A feed that was silent has only one round to take, the first.
    if (round === undefined || (priced.length > 0 && (isStale || round.updatedAtMs > endMs))) break
    consider(round)
  }
  const [first, ...others] = priced
  return others.reduce((best, one) => (best !== undefined && best.price >= one.price ? best : one), first)
}
