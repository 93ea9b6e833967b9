import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs, maxJsonBodyBytes } from '../limits.ts'
import { addressSchema } from '../networks/address.ts'
import { stablecoins } from '../networks/networks.ts'
import { reasonFactsSchema } from '../reasons/reason.ts'

const limits = { timeoutMs: callTimeoutMs }
/** An amount in the smallest units of a coin: a whole number as text, because it may exceed 2^53. */
const units = v.pipe(v.string(), v.regex(/^\d{1,78}$/))

/**
 * `seen`: in a block that is not final yet. `unpriced`: final, but without a fresh price; it is credited when there is
 * one. `credited`: its bytes are available. `refused`: it buys nothing, for the given reason. `orphaned`: the chain
 * dropped it.
 */
export const paymentStates = ['seen', 'unpriced', 'credited', 'refused', 'orphaned'] as const

const payment = v.object({
  id: v.string(),
  network: v.string(),
  chainId: v.number(),
  txHash: v.string(),
  /** Index of the payment within its transaction, from 0. */
  ordinal: v.number(),
  blockNumber: v.number(),
  payer: v.string(),
  /** Account that receives the storage. */
  beneficiary: v.string(),
  /** `native`, the name of a stablecoin, or empty for a token that is not accepted. */
  coin: v.string(),
  /** Contract of the token; empty for the native coin of the chain. */
  token: v.string(),
  units,
  state: v.picklist(paymentStates),
  /** Reason for a missing credit. */
  reason: v.nullable(v.string()),
  reasonFacts: v.optional(reasonFactsSchema),
  /** Number of confirmations, and how many are required; null once its block is final. */
  confirmations: v.nullable(v.object({ have: v.number(), need: v.nullable(v.number()) })),
  /** Credited bytes. */
  bytes: v.nullable(v.number()),
  /** Price of one coin in US dollars at the time of the credit, decimal. */
  price: v.nullable(v.string()),
  seenAt: v.number(),
  creditedAt: v.nullable(v.number()),
})
/** One payment, and its state. */
export type Payment = v.InferOutput<typeof payment>

/** `GET /api/lighthouse/get_ticker`: returns the price of one coin in US dollars, as a bare JSON number. */
export const getTicker = defineCall({
  id: 'getTicker',
  method: 'GET',
  path: '/api/lighthouse/get_ticker',
  host: 'api',
  tag: 'Payments',
  summary: 'Get the price of a coin in US dollars',
  description:
    'From the price feeds that the operator configured. Payments are credited at the best price of the preceding ten minutes.',
  auth: 'none',
  query: v.object({ symbol: v.pipe(v.string(), v.trim(), v.regex(/^[A-Za-z0-9]{1,12}$/)) }),
  response: { kind: 'json', schema: v.number() },
  errors: ['PRICE_UNKNOWN'],
  dialect: 'api',
  limits: { ...limits, perMinute: 120 },
  idempotent: true,
})

/** `GET /api/payments`: lists the payments of the account, newest first. */
export const listPayments = defineCall({
  id: 'listPayments',
  method: 'GET',
  path: '/api/payments',
  host: 'api',
  tag: 'Payments',
  summary: 'List payments',
  description:
    'Returns the payments for the account from any payer, including pending ones. Set `after` to the id of the last row of the previous page.',
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

/** `GET /api/payments/{network}/{txHash}`: returns the state of a transaction. */
export const getPayment = defineCall({
  id: 'getPayment',
  method: 'GET',
  path: '/api/payments/{network}/{txHash}',
  host: 'api',
  tag: 'Payments',
  summary: 'Get the payments of a transaction',
  description:
    'Returns all payments of one transaction. The list is empty until the service has read the block of the transaction. `checkedAt` is the time the chain was last read, and `fault` explains why crediting is paused.',
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
      faultFacts: v.optional(reasonFactsSchema),
    }),
  },
  errors: ['UNSUPPORTED_NETWORK'],
  dialect: 'api',
  limits: { ...limits, perMinute: 240 },
  idempotent: true,
})

/** `GET /api/user/quota`: returns the storage limit of the account, its sources, and its usage. */
export const getQuotaDetails = defineCall({
  id: 'getQuotaDetails',
  method: 'GET',
  path: '/api/user/quota',
  host: 'api',
  tag: 'Payments',
  summary: 'Get the storage limit of the account and its ledger',
  description:
    'All values are in bytes. `entries` are the newest changes of the limit. Set `after` to the id of the last entry of the previous page.',
  auth: 'apiKey',
  scope: 'files:read',
  query: v.object({ after: v.optional(v.pipe(v.string(), v.maxLength(200))) }),
  response: {
    kind: 'json',
    schema: v.object({
      limitBytes: v.number(),
      usedBytes: v.number(),
      /** Reserved for uploads in progress. */
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

/** `POST /api/faucet`: sends test coins, on local networks only. */
export const useFaucet = defineCall({
  id: 'useFaucet',
  method: 'POST',
  path: '/api/faucet',
  host: 'api',
  tag: 'Payments',
  summary: 'Get test coins on a local network',
  description: 'Sends coins without value. Networks that are not local return 501.',
  auth: 'none',
  body: {
    kind: 'json',
    schema: v.object({
      address: addressSchema,
      /** `native` or the name of a stablecoin. Defaults to all of them. */
      coin: v.optional(v.picklist(['native', ...stablecoins])),
    }),
  },
  response: {
    kind: 'json',
    schema: v.object({ sent: v.array(v.object({ coin: v.string(), units, txHash: v.string() })) }),
  },
  errors: ['NOT_SUPPORTED', 'INVALID_ADDRESS', 'UPSTREAM_FAILED'],
  dialect: 'api',
  limits: { bodyBytes: maxJsonBodyBytes, timeoutMs: 20_000, perMinute: 30 },
  idempotent: false,
})
