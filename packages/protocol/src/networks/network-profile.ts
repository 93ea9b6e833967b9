import * as v from 'valibot'

const url = v.pipe(v.string(), v.url())

const tokenSchema = v.object({
  /** One of the `stablecoins`. */
  coin: v.string(),
  /** The symbol of the token itself, which distinguishes contracts of one coin. */
  symbol: v.string(),
  address: v.string(),
  decimals: v.number(),
  /**
   * The symbol that `get_ticker` prices the token by, and its minimum price in dollars to count as one dollar; absent
   * if it always counts as one.
   */
  floor: v.optional(v.object({ symbol: v.string(), price: v.number() })),
})
/** A token that is accepted as payment. */
export type TokenProfile = v.InferOutput<typeof tokenSchema>

const chainSchema = v.object({
  name: v.string(),
  rpcUrl: url,
  chainId: v.number(),
  symbol: v.string(),
  nativeDecimals: v.number(),
  paymentContract: v.optional(v.string()),
  /** One contract per coin, for clients that support a single one. */
  tokens: v.record(v.string(), v.object({ address: v.string(), decimals: v.number() })),
  /** Every accepted token, the preferred of each coin first: native and bridged coins have different contracts. */
  tokenList: v.optional(v.array(tokenSchema)),
})
/** A chain for payments. */
export type ChainProfile = v.InferOutput<typeof chainSchema>

/** Returns the accepted tokens of a coin on a chain, the preferred first. */
export function tokensOf({ tokens, tokenList }: ChainProfile, coin: string): TokenProfile[] {
  const listed = (tokenList ?? []).filter((token) => token.coin === coin)
  if (listed.length > 0) return listed
  const contract = tokens[coin]
  return contract === undefined ? [] : [{ coin, symbol: coin.toUpperCase(), ...contract }]
}

/**
 * The profile of a network: the addresses of its services. A local network writes it to `network.json`; every network
 * serves it at `GET /.well-known/cairn.json` (without the wallet). Services that a network does not run are absent.
 */
export const networkProfileSchema = v.object({
  /** Name of the network. */
  name: v.string(),
  /** Base URL of the account calls. */
  api: url,
  /** Base URL of the upload calls. */
  upload: url,
  /** Base URL of the gateway; the subdomain form is `{cid}.ipfs.` before its host, if the host has a name. */
  gateway: url,
  /** The Pinning Service API (`/pins` below its base URL). */
  pinning: v.optional(v.object({ endpoint: url })),
  /** Base URL that reaches the five key nodes by index. */
  keyRouter: v.optional(url),
  /** Base URLs of the key nodes, in order. */
  keyNodes: v.optional(v.array(url)),
  /** Pause between calls to key nodes, in ms. Defaults to 1000. */
  keyNodePauseMs: v.optional(v.pipe(v.number(), v.minValue(0))),
  /** Storage providers, by the public keys that sign their proofs. */
  providers: v.optional(v.array(v.object({ id: v.string(), url }))),
  /** The first of the chains, for clients that support a single one. */
  chain: v.optional(chainSchema),
  /** Every chain for payments. */
  chains: v.optional(v.array(chainSchema)),
  /** Price of storage in US dollars per GiB, if the network takes payments. Defaults to that of published clients. */
  usdPerGib: v.optional(v.number()),
  /** Wallets on other devices, by WalletConnect: the project of the operator, and the relay that both sides use. */
  walletConnect: v.optional(v.object({ projectId: v.string(), relayUrl: url })),
  /** Public key that signs exported event logs, as did:key. */
  eventSigner: v.optional(v.string()),
  /** Sign-in with passkeys of this domain (WebAuthn relying party id); absent if the operator does not offer it. */
  passkeys: v.optional(v.object({ domain: v.string() })),
  /** The S3 API. Local networks name an access key of their test wallet. */
  s3: v.optional(
    v.object({
      endpoint: url,
      region: v.string(),
      accessKeyId: v.optional(v.string()),
      secretAccessKey: v.optional(v.string()),
    }),
  ),
  /** The funded test wallet of a local network. Deployed networks have none. */
  wallet: v.optional(v.object({ address: v.string(), privateKey: v.string() })),
})

/** The addresses of the services of a network. */
export type NetworkProfile = v.InferOutput<typeof networkProfileSchema>

/** Parses a profile from unknown JSON. @throws a Valibot error naming the invalid fields */
export function parseNetworkProfile(json: unknown): NetworkProfile {
  return v.parse(networkProfileSchema, json)
}
