import {
  CairnError,
  type CallResult,
  type ChainProfile,
  coinPriceOf,
  type getPayment,
  type getQuotaDetails,
  type listPayments,
  oneDollar,
  paymentReason,
  priceInUnits,
} from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Context, PaymentOffer } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { readFacts } from '../db/stored-reasons.ts'
import { readStoragePrice } from '../ledger/ledger.ts'
import type { PaymentNetwork, PaymentSettings } from '../settings/payment-settings.ts'
import { createChainReader } from './chain.ts'
import { describePayment } from './describe-payment.ts'
import { findCursor, type PaymentRow } from './store.ts'

export { createRpc, hexBytes, hexHash, hexNumber, toHex } from './rpc.ts'

const rowsOfPage = 100
const entriesOfPage = 100

/** Returns a page of an account's payments, newest first. */
export async function findPayments(
  context: Context,
  address: string,
  { after, limit = rowsOfPage }: { after?: string | undefined; limit?: number | undefined },
): Promise<CallResult<typeof listPayments>> {
  const { db } = context
  let query = db.read.selectFrom('payment').selectAll().where('address', '=', address)
  if (after !== undefined) query = query.where('id', '<', after)
  const rows = await query.orderBy('id', 'desc').limit(limit).execute()
  return { payments: await describeAll(context, rows) }
}

async function describeAll(context: Context, rows: readonly PaymentRow[]) {
  const { networks } = context.config.payments
  const cursors = new Map(
    (await context.db.read.selectFrom('chain_cursor').selectAll().execute()).map((row) => [row.chain_id, row]),
  )
  return rows.map((row) => {
    const network = networks.find(({ chainId }) => chainId === row.chain_id)
    return describePayment(row, network, cursors.get(row.chain_id))
  })
}

/** Returns the state of a transaction. @throws CairnError UNSUPPORTED_NETWORK */
export async function findTransaction(
  context: Context,
  name: string,
  txHash: string,
): Promise<CallResult<typeof getPayment>> {
  const { networks } = context.config.payments
  const network = networks.find((one) => one.name === name)
  if (network === undefined) {
    throw new CairnError('UNSUPPORTED_NETWORK', { details: { networks: networks.map((one) => one.name) } })
  }
  const cursor = await findCursor(context.db.read, network)
  const rows = await context.db.read
    .selectFrom('payment')
    .selectAll()
    .where('chain_id', '=', network.chainId)
    .where('tx_hash', '=', txHash)
    .orderBy('ordinal')
    .execute()
  return {
    payments: await describeAll(context, rows),
    headBlock: cursor?.head_block ?? null,
    finalBlock: cursor?.final_block ?? null,
    checkedAt: cursor?.checked_at ?? null,
    ...(cursor === undefined
      ? describeFailure(context, name)
      : { fault: cursor.fault, faultFacts: readFacts(cursor.fault_facts) }),
  }
}

/** Returns why a chain that was never read is not; the cursor records later failures. */
function describeFailure({ dependencies }: Context, name: string) {
  const chain = dependencies.report().find((one) => one.kind === 'chain' && one.name === name)
  if (chain?.reason === undefined) return { fault: null }
  return { fault: chain.reason, faultFacts: paymentReason('CHAIN_NOT_READ').reasonFacts }
}

/** Returns what an account may store, where its limit comes from, and what it uses. */
export async function getQuotaOf(
  { db }: Context,
  address: string,
  { after }: { after?: string | undefined },
): Promise<CallResult<typeof getQuotaDetails>> {
  const account = await db.read.selectFrom('account').selectAll().where('address', '=', address).executeTakeFirst()
  const sums = await db.read
    .selectFrom('ledger_entry')
    .select(({ fn }) => ['kind', fn.sum('bytes').as('bytes')])
    .where('address', '=', address)
    .groupBy('kind')
    .execute()
  const sumOf = (kind: string) => Number(sums.find((row) => row.kind === kind)?.bytes ?? 0)
  let query = db.read.selectFrom('ledger_entry').selectAll().where('address', '=', address)
  if (after !== undefined) query = query.where('id', '<', after)
  const entries = await query.orderBy('id', 'desc').limit(entriesOfPage).execute()
  const limitBytes = account?.data_limit_bytes ?? 0
  const usedBytes = account?.data_used_bytes ?? 0
  const reservedBytes = account?.reserved_bytes ?? 0
  return {
    limitBytes,
    usedBytes,
    reservedBytes,
    availableBytes: Math.max(0, limitBytes - usedBytes - reservedBytes),
    allowanceBytes: sumOf('allowance'),
    boughtBytes: sumOf('payment'),
    adjustedBytes: sumOf('adjustment'),
    entries: entries.map(({ id, kind, bytes, note, created_at: at }) => ({ id, kind, bytes, note, at })),
  }
}

/** Returns the chains on which payments are accepted, for the network's profile. */
export function describeChains({ networks }: PaymentSettings): ChainProfile[] {
  return networks.map((network) => ({
    name: network.name,
    rpcUrl: network.publicRpcUrl,
    chainId: network.chainId,
    symbol: network.symbol,
    nativeDecimals: network.nativeDecimals,
    paymentContract: network.contract,
    tokens: describePreferred(network),
    tokenList: network.tokens.map(({ floor, ...token }) => ({ ...token, ...(floor === undefined ? {} : { floor }) })),
  }))
}

/** Returns the first token of each coin, for clients that support only one. */
function describePreferred({ tokens }: PaymentNetwork): ChainProfile['tokens'] {
  const byCoin = Map.groupBy(tokens, ({ coin }) => coin)
  return Object.fromEntries(
    [...byCoin].flatMap(([coin, [first]]) =>
      first === undefined ? [] : [[coin, { address: first.address, decimals: first.decimals }]],
    ),
  )
}

/** Describes how to buy the missing bytes: prices of stablecoins in their smallest units, on every network. */
export async function describeHowToPay(
  db: Kysely<Schema>,
  { networks }: PaymentSettings,
  missingBytes: number,
): Promise<PaymentOffer[]> {
  if (networks.length === 0) return []
  const perGib = coinPriceOf((await readStoragePrice(db)).usdPerGib)
  return networks.map(({ name, chainId, contract, symbol, tokens }) => ({
    network: name,
    chainId,
    contract,
    native: symbol,
    tokens: Object.fromEntries(
      tokens.map(({ coin, decimals }) => [coin, priceInUnits(missingBytes, decimals, oneDollar, perGib).toString()]),
    ),
  }))
}

/** Time limit for reading the newest block: providers are challenged without it, within a limit of their own. */
const headMs = 3000

/** Reads the newest block of the first payment chain; undefined when there is none. */
export function openHead(
  { networks }: PaymentSettings,
  limitMs = headMs,
): (() => Promise<{ chainId: number; number: number; hash: string }>) | undefined {
  const [network] = networks
  const [url] = network?.rpcUrls ?? []
  if (network === undefined || url === undefined) return undefined
  return async () => {
    const { number, hash } = await createChainReader(network, url, AbortSignal.timeout(limitMs)).getHead()
    return { chainId: network.chainId, number, hash }
  }
}
