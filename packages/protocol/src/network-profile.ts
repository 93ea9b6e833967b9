import * as v from 'valibot'

const url = v.pipe(v.string(), v.url())

const tokenSchema = v.object({
  /** `usdc`, `usdt` or `dai`. */
  coin: v.string(),
  /** The token's own symbol: it tells contracts of one coin apart. */
  symbol: v.string(),
  address: v.string(),
  decimals: v.number(),
  /**
   * The symbol that `get_ticker` prices the token by, and the dollars it has to be worth to count as one; absent where it
   * always counts as one.
   */
  floor: v.optional(v.object({ symbol: v.string(), price: v.number() })),
})
/** A token that is taken as payment. */
export type TokenProfile = v.InferOutput<typeof tokenSchema>

const chainSchema = v.object({
  name: v.string(),
  rpcUrl: url,
  chainId: v.number(),
  symbol: v.string(),
  nativeDecimals: v.number(),
  paymentContract: v.optional(v.string()),
  /** One contract of each coin; kept for clients that know one. */
  tokens: v.record(v.string(), v.object({ address: v.string(), decimals: v.number() })),
  /** Every token that is taken, the preferred of each coin first: native and bridged coins have contracts of their own. */
  tokenList: v.optional(v.array(tokenSchema)),
})
/** A chain on which payments are taken. */
export type ChainProfile = v.InferOutput<typeof chainSchema>

/** The tokens of a coin that are taken on a chain, the preferred first. */
export function tokensOf({ tokens, tokenList }: ChainProfile, coin: string): TokenProfile[] {
  const listed = (tokenList ?? []).filter((token) => token.coin === coin)
  if (listed.length > 0) return listed
  const one = tokens[coin]
  return one === undefined ? [] : [{ coin, symbol: coin.toUpperCase(), ...one }]
}

/**
 * The profile of a network: where its parts are. Written to `network.json` by a local network, served at
 * `GET /.well-known/cairn.json` by every one (without the wallet). Parts that a network does not run are absent.
 */
export const networkProfileSchema = v.object({
  /** The network's name. */
  name: v.string(),
  /** Base URL of the account calls. */
  api: url,
  /** Base URL of the upload calls. */
  upload: url,
  /** Base URL of the gateway; subdomain form is `{cid}.ipfs.` before its host, where the host has a name. */
  gateway: url,
  /** Base URL that reaches the five key nodes by index. */
  keyRouter: v.optional(url),
  /** Base URLs of the key nodes, in order. */
  keyNodes: v.optional(v.array(url)),
  /** Pause between calls to key nodes, in ms; 1000 where it is absent. */
  keyNodePauseMs: v.optional(v.pipe(v.number(), v.minValue(0))),
  /** Storage providers, by the public keys that their proofs are signed with. */
  providers: v.optional(v.array(v.object({ id: v.string(), url }))),
  /** The first of the chains; kept for clients that know one. */
  chain: v.optional(chainSchema),
  /** Every chain on which payments are taken. */
  chains: v.optional(v.array(chainSchema)),
  /** Wallets on other devices, by WalletConnect: the operator's project there, and the relay that both sides meet at. */
  walletConnect: v.optional(v.object({ projectId: v.string(), relayUrl: url })),
  /** The funded test wallet of a local network. Deployed networks have none. */
  wallet: v.optional(v.object({ address: v.string(), privateKey: v.string() })),
})

/** Where the parts of a network are. */
export type NetworkProfile = v.InferOutput<typeof networkProfileSchema>

/** Reads a profile from unknown JSON. @throws a Valibot error naming the fields that are wrong. */
export function parseNetworkProfile(json: unknown): NetworkProfile {
  return v.parse(networkProfileSchema, json)
}
