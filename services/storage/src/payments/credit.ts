import { bytesForUnits, type CoinPrice, maxPaymentBytes, oneDollar, paymentReason, type Reason } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { noReason, reasonColumns } from '../db/stored-reasons.ts'
import { recordEvents } from '../events/events.ts'
import { canGrowLimit, enter, type FreeSettings, findLowestPrice, openAccount } from '../ledger/ledger.ts'
import type { PaymentNetwork, PaymentToken } from '../settings/payment-settings.ts'
import { maxBlockLagMs, type PricedAt, type Prices, quoteLifetimeMs } from './prices.ts'
import type { PaymentRow } from './store.ts'

/** Result of judging a payment whose block is final. */
export type Verdict =
  | { state: 'credited'; bytes: number; price: PricedAt | undefined }
  | ({ state: 'unpriced' | 'refused' } & Reason)

/**
 * Returns the dollars per GiB that a payment buys at: the lowest of the ten minutes before it was sent, because that one
 * may have been quoted.
 */
export function findPriceOfStorage(db: Kysely<Schema>, blockTimeMs: number): Promise<CoinPrice> {
  return findLowestPrice(db, blockTimeMs + maxBlockLagMs, quoteLifetimeMs + maxBlockLagMs)
}

/** Decides what a final payment buys. A payment without a known price stays undecided. */
export async function judgePayment(
  prices: Prices,
  network: PaymentNetwork,
  row: Pick<PaymentRow, 'token' | 'units' | 'block_time'>,
  perGib: CoinPrice,
): Promise<Verdict> {
  const units = BigInt(row.units)
  if (row.token !== '') {
    const token = network.tokens.find(({ address }) => address === row.token)
    if (token === undefined) return { state: 'refused', ...paymentReason('TOKEN_NOT_ACCEPTED') }
    const doubt = await doubtToken(prices, token, row.block_time)
    if (doubt !== undefined) return { state: 'unpriced', ...doubt }
    return judgeBytes(bytesForUnits(units, token.decimals, oneDollar, perGib), undefined)
  }
  const price = await prices.getPriceAt(network.symbol, row.block_time)
  if (price === undefined) {
    return { state: 'unpriced', ...paymentReason('PRICE_MISSING', { symbol: network.symbol }) }
  }
  return judgeBytes(bytesForUnits(units, network.nativeDecimals, price, perGib), price)
}

/**
 * Returns why a token does not count as one dollar at present; undefined if it does. A token that was worth less when
 * it was paid is credited once its price recovers, because the operator still holds it.
 */
async function doubtToken(
  prices: Prices,
  { symbol, floor }: PaymentToken,
  blockTimeMs: number,
): Promise<Reason | undefined> {
  if (floor === undefined) return undefined
  switch (await prices.compareWithFloor(floor, blockTimeMs)) {
    case 'above':
      return undefined
    case 'below':
      return paymentReason('TOKEN_BELOW_FLOOR', { symbol, price: floor.price })
    case 'unknown':
      return paymentReason('TOKEN_PRICE_MISSING', { priced: floor.symbol, symbol, price: floor.price })
  }
}

function judgeBytes(bytes: bigint, price: PricedAt | undefined): Verdict {
  if (bytes <= 0n) return { state: 'refused', ...paymentReason('AMOUNT_TOO_SMALL') }
  if (bytes > BigInt(maxPaymentBytes)) return { state: 'refused', ...paymentReason('AMOUNT_TOO_LARGE') }
  return { state: 'credited', bytes: Number(bytes), price }
}

/**
 * Stores a verdict and, when it credits, the account's ledger entry: once per payment, however often it is retried.
 * @returns whether the account was credited by this call
 */
export async function applyVerdict(
  trx: Kysely<Schema>,
  row: PaymentRow,
  verdict: Verdict,
  { config, now }: { config: FreeSettings; now: number },
): Promise<boolean> {
  const common = { state: verdict.state, updated_at: now }
  const update = trx.updateTable('payment').where('id', '=', row.id).where('state', 'in', ['seen', 'unpriced'])
  if (verdict.state !== 'credited') {
    await update.set({ ...common, ...reasonColumns(verdict) }).execute()
    return false
  }
  const { bytes, price } = verdict
  // The next sign-in enters the free allowance, within the limit per IP address and day.
  await openAccount(trx, row.address, { config, now }, async () => false)
  // Thrown later, an error would stop the payments of others, too.
  if (!(await canGrowLimit(trx, row.address, bytes))) {
    return applyVerdict(trx, row, { state: 'refused', ...paymentReason('AMOUNT_TOO_LARGE') }, { config, now })
  }
  const done = await update
    .set({
      ...common,
      ...noReason,
      bytes,
      credited_at: now,
      price: price?.price.toString() ?? '1',
      price_decimals: price?.decimals ?? 0,
      price_source: price?.source ?? 'one dollar',
    })
    .returning('id')
    .executeTakeFirst()
  if (done === undefined) return false
  const note = `Payment on ${row.network}, transaction ${row.tx_hash}`
  const isEntered = await enter(trx, { address: row.address, kind: 'payment', cause: causeOf(row), bytes, note }, now)
  if (isEntered) {
    await recordEvents(trx, row.address, now, {
      type: 'payment.credited',
      data: { paymentId: row.id, network: row.network, txHash: row.tx_hash, bytes },
    })
  }
  return isEntered
}

/** Returns the cause of a payment's ledger entry. */
export function causeOf(row: Pick<PaymentRow, 'chain_id' | 'tx_hash' | 'ordinal'>): string {
  return `payment:${row.chain_id}:${row.tx_hash}:${row.ordinal}`
}
