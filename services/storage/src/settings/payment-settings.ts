import { CairnError, isNetworkName, type Network, networks, type Stablecoin, stablecoins } from '@cairn/protocol'
import { readDocument } from '@cairn/service'
import * as v from 'valibot'

/** A token accepted on one network. A coin may have several: its issuer's, and those of bridges. */
export type PaymentToken = {
  readonly coin: Stablecoin
  /** In lower case. */
  readonly address: string
  /** The same for all tokens of a coin on a network, so that a price in the coin has one amount in units. */
  readonly decimals: number
  /** The token's own symbol. */
  readonly symbol: string
  /** Minimum value for counting as one dollar; undefined when it always counts. */
  readonly floor: TokenFloor | undefined
}

/** The minimum price at which a token counts as one dollar. */
export type TokenFloor = {
  /** Symbol of the price source. */
  readonly symbol: string
  /** In dollars. */
  readonly price: number
}

/** When a block counts as final: by the chain's own tag, or by the number of blocks on top of it. */
export type Finality = { readonly tag: 'finalized' | 'safe' } | { readonly blocks: number }

/** A chain on which payments are accepted. */
export type PaymentNetwork = {
  readonly name: string
  readonly chainId: number
  /** All are queried. They are named by their position in this list, because URLs may contain keys. */
  readonly rpcUrls: readonly string[]
  /** How many endpoints must agree before anything is credited: more than half of them. */
  readonly quorum: number
  /** Published in the network's profile. */
  readonly publicRpcUrl: string
  /** Address of the payment contract, in lower case. */
  readonly contract: string
  /** Block of the contract's deployment. */
  readonly startBlock: number
  readonly finality: Finality
  readonly symbol: string
  readonly nativeDecimals: number
  readonly tokens: readonly PaymentToken[]
  readonly pollMs: number
  /**
   * Reads all blocks again when the last final one changed: on local chains, which lose blocks in a crash, and after a
   * reorganisation beyond finality.
   */
  readonly mayRestart: boolean
  /** Maximum number of blocks per event query. */
  readonly maxRange: number
}

/**
 * Returns the coin of a token address: `native` for none, a stablecoin's name, empty for a token that is not
 * accepted.
 */
export function coinOf({ tokens }: Pick<PaymentNetwork, 'tokens'>, token: string): Stablecoin | 'native' | '' {
  if (token === '') return 'native'
  return tokens.find(({ address }) => address === token)?.coin ?? ''
}

/** A price feed with Chainlink's interface: US dollars per coin. */
export type PriceFeed = {
  readonly rpcUrls: readonly string[]
  /** How many of the endpoints must agree on a past round. */
  readonly quorum: number
  /** In lower case. */
  readonly address: string
  /** A round older than this plus a margin is stale. */
  readonly heartbeatMs: number
  /** Feed that reports whether the sequencer of a roll-up is up. */
  readonly sequencer: string | undefined
}

/** The price source of one coin. */
export type PriceSource = {
  readonly symbol: string
  readonly feeds: readonly PriceFeed[]
  /** Feeds that differ by more than this stop payments from being priced. */
  readonly deviationPercent: number
  /** Stablecoins only: minimum value in dollars for counting as a dollar. */
  readonly floor: number
}

/** Settings for accepting payments. */
export type PaymentSettings = {
  readonly networks: readonly PaymentNetwork[]
  readonly prices: readonly PriceSource[]
}

const address = v.pipe(v.string(), v.regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits'), v.toLowerCase())
const rpcUrl = v.pipe(
  v.string(),
  v.url(),
  v.check((text) => /^https?:/.test(text), 'must be an http or https URL'),
)
const seconds = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(3650 * 86_400))
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const finality = v.union(
  [
    v.strictObject({ tag: v.picklist(['finalized', 'safe']) }),
    v.strictObject({ blocks: v.pipe(whole, v.maxValue(100_000)) }),
  ],
  'must have a tag (finalized or safe), or blocks from 0 to 100000',
)

const rpcUrls = v.pipe(
  v.array(rpcUrl),
  v.minLength(1),
  v.maxLength(8),
  v.check(
    (urls) => new Set(urls.map((url) => URL.parse(url)?.href ?? url)).size === urls.length,
    'contains an endpoint twice',
  ),
)

const symbol = v.pipe(v.string(), v.regex(/^[A-Za-z0-9]{1,12}$/, 'must be 1 to 12 letters and digits'))

const token = v.strictObject({
  address,
  decimals: v.optional(v.pipe(whole, v.maxValue(36))),
  symbol: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9.]{1,16}$/, 'must be 1 to 16 letters, digits and dots'))),
  price: v.optional(symbol),
})
const maxTokens = 8

const networkSchema = v.strictObject({
  chainId: v.optional(v.pipe(whole, v.minValue(1))),
  rpcUrls,
  quorum: v.optional(v.pipe(whole, v.minValue(1))),
  publicRpcUrl: v.optional(rpcUrl),
  contract: address,
  startBlock: v.optional(whole, 0),
  finality: v.optional(finality, { tag: 'finalized' }),
  symbol: v.optional(symbol),
  nativeDecimals: v.optional(v.pipe(whole, v.maxValue(36))),
  tokens: v.optional(
    v.record(v.picklist(stablecoins), v.union([token, v.pipe(v.array(token), v.minLength(1), v.maxLength(maxTokens))])),
  ),
  mayRestart: v.optional(v.boolean(), false),
  pollMs: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(50), v.maxValue(600_000)), 5_000),
  maxRange: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(100_000)), 2_000),
})

const feedSchema = v.strictObject({
  network: v.optional(v.string()),
  rpcUrl: v.optional(rpcUrl),
  rpcUrls: v.optional(rpcUrls),
  address,
  heartbeatSeconds: seconds,
  sequencer: v.optional(address),
})

const settingsSchema = v.strictObject({
  networks: v.record(
    v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,32}$/, 'must be 1 to 32 characters of a-z, 0-9 and -')),
    networkSchema,
  ),
  prices: v.optional(
    v.record(
      symbol,
      v.strictObject({
        feeds: v.pipe(v.array(feedSchema), v.minLength(1), v.maxLength(4)),
        deviationPercent: v.optional(v.pipe(v.number(), v.minValue(0.1), v.maxValue(50)), 5),
        floor: v.optional(v.pipe(v.number(), v.minValue(0.5), v.maxValue(1)), 0.97),
      }),
    ),
    {},
  ),
})

/** Without networks there are no payments. */
export const noPayments: PaymentSettings = { networks: [], prices: [] }

/**
 * Parses the operator's networks and prices. What the specification defines for a network (chain id, symbol,
 * decimals, token addresses) may be omitted.
 * @throws CairnError INVALID_CONFIGURATION naming what is wrong
 */
export function parsePaymentSettings(json: string): PaymentSettings {
  if (json.trim() === '') return noPayments
  const found = readDocument(settingsSchema, json)
  if ('problem' in found) throw wrong(found.problem)
  const sources = new Map(Object.entries(found.output.prices).map(([name, source]) => [name.toUpperCase(), source]))
  const floors = new Map([...sources].map(([name, { floor }]) => [name, floor]))
  const all = Object.entries(found.output.networks).map(([name, network]) => completeNetwork(name, network, floors))
  const prices = [...sources].map(([symbol, source]) => ({
    symbol,
    deviationPercent: source.deviationPercent,
    floor: source.floor,
    feeds: source.feeds.map((feed) => ({
      ...findFeedEndpoints(symbol, feed, all),
      address: feed.address,
      heartbeatMs: feed.heartbeatSeconds * 1000,
      sequencer: feed.sequencer,
    })),
  }))
  const chains = new Set(all.map(({ chainId }) => chainId))
  if (chains.size !== all.length) throw wrong('two networks have the same chain id')
  return { networks: all, prices }
}

/** A feed of a network is read at all endpoints of that network: a single one could set the price. */
function findFeedEndpoints(
  symbol: string,
  { network, rpcUrl, rpcUrls = rpcUrl === undefined ? undefined : [rpcUrl] }: v.InferOutput<typeof feedSchema>,
  networks: readonly PaymentNetwork[],
): Pick<PriceFeed, 'rpcUrls' | 'quorum'> {
  if (rpcUrls !== undefined) return { rpcUrls, quorum: majorityOf(rpcUrls) }
  const found = networks.find(({ name }) => name === network)
  if (found === undefined) throw wrong(`prices.${symbol}: a feed requires rpcUrls or one of the networks`)
  return { rpcUrls: found.rpcUrls, quorum: found.quorum }
}

/** More than half: two contradicting answers never both reach it. */
function majorityOf(urls: readonly string[]): number {
  return Math.floor(urls.length / 2) + 1
}

function readQuorum(name: string, { rpcUrls, quorum }: v.InferOutput<typeof networkSchema>): number {
  const minQuorum = majorityOf(rpcUrls)
  if (quorum === undefined) return minQuorum
  if (quorum >= minQuorum && quorum <= rpcUrls.length) return quorum
  throw wrong(
    `networks.${name}.quorum: ${quorum} of ${rpcUrls.length} endpoints is not possible. Use ${minQuorum} to ${rpcUrls.length}`,
  )
}

function completeNetwork(
  name: string,
  given: v.InferOutput<typeof networkSchema>,
  floors: ReadonlyMap<string, number>,
): PaymentNetwork {
  const known = findKnown(name, given)
  const chainId = given.chainId ?? known?.chainId
  const symbol = given.symbol ?? known?.symbol
  const nativeDecimals = given.nativeDecimals ?? known?.nativeDecimals ?? 18
  if (chainId === undefined || symbol === undefined) throw wrong(`networks.${name}: chainId and symbol are required`)
  const [first = ''] = given.rpcUrls
  return {
    name,
    chainId,
    rpcUrls: given.rpcUrls,
    quorum: readQuorum(name, given),
    publicRpcUrl: given.publicRpcUrl ?? known?.rpcUrl ?? first,
    contract: given.contract,
    startBlock: given.startBlock,
    finality: given.finality,
    symbol: symbol.toUpperCase(),
    nativeDecimals,
    tokens: readTokens(name, given, known, floors),
    pollMs: given.pollMs,
    mayRestart: given.mayRestart,
    maxRange: given.maxRange,
  }
}

/** Returns the defaults of a network by its name. For a chain that was shut down, only its name remains. */
function findKnown(name: string, { chainId }: v.InferOutput<typeof networkSchema>): Network | undefined {
  if (!isNetworkName(name)) return undefined
  const known: Network = networks[name]
  if (known.retired !== true) return known
  if (chainId !== undefined) return undefined
  throw wrong(
    `networks.${name}: the chain ${known.chainId} was shut down and cannot take payments. For your own chain with this name, set its chainId`,
  )
}

/** Returns the tokens of a network: the configured ones if there are any, else the defaults. */
function readTokens(
  name: string,
  given: v.InferOutput<typeof networkSchema>,
  known: Network | undefined,
  floors: ReadonlyMap<string, number>,
): PaymentToken[] {
  const tokens = stablecoins.flatMap((coin) => {
    const own = given.tokens?.[coin]
    const listed: readonly v.InferOutput<typeof token>[] =
      given.tokens === undefined ? (known?.tokens[coin].contracts ?? []) : [own ?? []].flat()
    return listed.map((one): PaymentToken => {
      const place = `networks.${name}.tokens.${coin}`
      const decimals = one.decimals ?? known?.tokens[coin].decimals
      if (decimals === undefined) throw wrong(`${place}: decimals are required`)
      if (one.price !== undefined && !floors.has(one.price.toUpperCase()))
        throw wrong(`${place}: the price source ${one.price} does not exist`)
      const address = one.address.toLowerCase()
      const contract = known?.tokens[coin].contracts.find((other) => other.address.toLowerCase() === address)
      const priceSymbol = (one.price ?? coin).toUpperCase()
      const floor = floors.get(priceSymbol)
      return {
        coin,
        address,
        decimals,
        symbol: one.symbol ?? contract?.symbol ?? coin.toUpperCase(),
        floor: floor === undefined ? undefined : { symbol: priceSymbol, price: floor },
      }
    })
  })
  for (const [i, one] of tokens.entries()) {
    const others = tokens.slice(0, i)
    if (others.some(({ address }) => address === one.address))
      throw wrong(`networks.${name}.tokens: ${one.address} appears twice`)
    // A price in a coin is one amount in units, regardless of which of its tokens a wallet holds.
    if (others.some(({ coin, decimals }) => coin === one.coin && decimals !== one.decimals))
      throw wrong(`networks.${name}.tokens.${one.coin}: its tokens have different decimals`)
  }
  return tokens
}

function wrong(what: string): CairnError {
  return new CairnError('INVALID_CONFIGURATION', {
    message: `CAIRN_PAYMENTS is not valid: ${what}`,
    hint: 'See docs/payments.md for a complete example.',
  })
}
