import * as v from 'valibot'
import { addressSchema } from '../address.ts'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs, jsonBodyBytesMost } from '../limits.ts'

const limits = { timeoutMs: callTimeoutMs }
/** An amount in the smallest units of a coin: a whole number, as text, for it may pass 2^53. */
const units = v.pipe(v.string(), v.regex(/^\d{1,78}$/))

/**
 * `seen`: in a block that is not final yet. `unpriced`: final, but there was no fresh price; it is credited when there is
 * one. `credited`: its bytes are there. `refused`: it buys nothing, for the reason given. `orphaned`: the chain dropped it.
 */
export const paymentStates = ['seen', 'unpriced', 'credited', 'refused', 'orphaned'] as const

const payment = v.object({
  id: v.string(),
  network: v.string(),
  chainId: v.number(),
  txHash: v.string(),
  /** Which payment of its transaction, counted from 0. */
  ordinal: v.number(),
  blockNumber: v.number(),
  payer: v.string(),
  /** Account that gets the storage. */
  beneficiary: v.string(),
  /** `native`, a stablecoin's name, or empty for a token that is not taken. */
  coin: v.string(),
  /** Contract of the token; empty for the chain's own coin. */
  token: v.string(),
  units,
  state: v.picklist(paymentStates),
  /** Why it was not credited, where it was not. */
  reason: v.nullable(v.string()),
  /** Blocks on top of it that count, and how many are needed; null once its block is final. */
  confirmations: v.nullable(v.object({ have: v.number(), need: v.nullable(v.number()) })),
  /** Bytes credited. */
  bytes: v.nullable(v.number()),
  /** US dollars for one coin that it was credited at, decimal. */
  price: v.nullable(v.string()),
  seenAt: v.number(),
  creditedAt: v.nullable(v.number()),
})
/** One payment, and what became of it. */
export type Payment = v.InferOutput<typeof payment>

/** `GET /api/lighthouse/get_ticker`: US dollars for one coin, as a bare JSON number. */
export const getTicker = defineCall({
  id: 'getTicker',
  method: 'GET',
  path: '/api/lighthouse/get_ticker',
  host: 'api',
  tag: 'Payments',
  summary: 'Price of a coin in US dollars',
  description:
    'From the price feeds that the operator configured, which payments are credited by, too. Payments are credited at no worse a price than any of the ten minutes before.',
  auth: 'none',
  query: v.object({ symbol: v.pipe(v.string(), v.trim(), v.regex(/^[A-Za-z0-9]{1,12}$/)) }),
  response: { kind: 'json', schema: v.number() },
  errors: ['PRICE_UNKNOWN'],
  dialect: 'api',
  limits: { ...limits, perMinute: 120 },
  idempotent: true,
})

/** `GET /api/payments`: the account's payments, newest first. */
export const listPayments = defineCall({
  id: 'listPayments',
  method: 'GET',
  path: '/api/payments',
  host: 'api',
  tag: 'Payments',
  summary: 'List payments',
  description:
    'Payments for the account, by whoever paid them: pending ones too. `after` is the id of the last row seen.',
  auth: 'apiKey',
  scope: 'files:read',
  query: v.object({
    after: v.optional(v.pipe(v.string(), v.maxLength(64))),
    limit: v.optional(v.pipe(v.string(), v.regex(/^\d{1,3}$/), v.transform(Number), v.minValue(1), v.maxValue(500))),
  }),
  response: { kind: 'json', schema: v.object({ payments: v.array(payment) }) },
  errors: [...authErrors],
  dialect: 'api',
  limits,
  idempotent: true,
})

/** `GET /api/payments/{network}/{txHash}`: what became of a transaction. */
export const getPayment = defineCall({
  id: 'getPayment',
  method: 'GET',
  path: '/api/payments/{network}/{txHash}',
  host: 'api',
  tag: 'Payments',
  summary: 'What became of a transaction',
  description:
    'All payments of one transaction. None yet: it is not mined, or not seen yet; `checkedAt` says when the chain was last looked at, and `fault` why nothing is credited at the moment.',
  auth: 'none',
  params: v.object({
    network: v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,32}$/)),
    txHash: v.pipe(v.string(), v.regex(/^0x[0-9a-fA-F]{64}$/), v.toLowerCase()),
  }),
  response: {
    kind: 'json',
    schema: v.object({
      payments: v.array(payment),
      headBlock: v.nullable(v.number()),
      finalBlock: v.nullable(v.number()),
      checkedAt: v.nullable(v.number()),
      fault: v.nullable(v.string()),
    }),
  },
  errors: ['UNSUPPORTED_NETWORK'],
  dialect: 'api',
  limits: { ...limits, perMinute: 240 },
  idempotent: true,
})

/** `GET /api/user/quota`: what the account may store, where that comes from, and what is taken. */
export const getQuotaDetails = defineCall({
  id: 'getQuotaDetails',
  method: 'GET',
  path: '/api/user/quota',
  host: 'api',
  tag: 'Payments',
  summary: 'What the account may store, and why',
  description: 'All in bytes. `entries` are the newest changes of the limit; `after` is the id of the last one seen.',
  auth: 'apiKey',
  scope: 'files:read',
  query: v.object({ after: v.optional(v.pipe(v.string(), v.maxLength(200))) }),
  response: {
    kind: 'json',
    schema: v.object({
      limitBytes: v.number(),
      usedBytes: v.number(),
      /** Held for uploads under way. */
      reservedBytes: v.number(),
      availableBytes: v.number(),
      allowanceBytes: v.number(),
      boughtBytes: v.number(),
      adjustedBytes: v.number(),
      entries: v.array(
        v.object({
          id: v.string(),
          kind: v.picklist(['allowance', 'payment', 'adjustment']),
          bytes: v.number(),
          note: v.string(),
          at: v.number(),
        }),
      ),
    }),
  },
  errors: [...authErrors],
  dialect: 'api',
  limits,
  idempotent: true,
})

/** `POST /api/faucet`: coins for testing, on local networks only. */
export const useFaucet = defineCall({
  id: 'useFaucet',
  method: 'POST',
  path: '/api/faucet',
  host: 'api',
  tag: 'Payments',
  summary: 'Get test coins on a local network',
  description: 'Sends coins that are worth nothing. Networks other than local ones answer 501.',
  auth: 'none',
  body: {
    kind: 'json',
    schema: v.object({
      address: addressSchema,
      /** `native` or a stablecoin's name; all of them where absent. */
      coin: v.optional(v.picklist(['native', 'usdc', 'usdt', 'dai'])),
    }),
  },
  response: {
    kind: 'json',
    schema: v.object({ sent: v.array(v.object({ coin: v.string(), units, txHash: v.string() })) }),
  },
  errors: ['NOT_SUPPORTED', 'INVALID_ADDRESS', 'UPSTREAM_FAILED'],
  dialect: 'api',
  limits: { bodyBytes: jsonBodyBytesMost, timeoutMs: 20_000, perMinute: 30 },
  idempotent: false,
})
