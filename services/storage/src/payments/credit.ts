import { bytesForUnits, oneDollar } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import { enter, openAccount } from '../accounts/ledger.ts'
import type { Schema } from '../db/schema.ts'
import type { PaymentNetwork, PaymentToken } from './payment-settings.ts'
import type { PricedAt, Prices } from './prices.ts'
import type { PaymentRow } from './store.ts'

/** What becomes of a payment once its block is final. */
export type Verdict =
  | { state: 'credited'; bytes: number; price: PricedAt | undefined }
  | { state: 'unpriced'; reason: string }
  | { state: 'refused'; reason: string }

/** Decides what a final payment buys. Nothing is guessed: without a price it waits. */
export async function judgePayment(
  prices: Prices,
  network: PaymentNetwork,
  row: Pick<PaymentRow, 'token' | 'units' | 'block_time'>,
): Promise<Verdict> {
  const units = BigInt(row.units)
  if (row.token !== '') {
    const token = network.tokens.find(({ address }) => address === row.token)
    if (token === undefined) return { state: 'refused', reason: 'This token is not taken as payment' }
    const doubt = await doubtToken(prices, token, row.block_time)
    if (doubt !== undefined) return { state: 'unpriced', reason: doubt }
    return judgeBytes(bytesForUnits(units, token.decimals, oneDollar), undefined)
  }
  const price = await prices.getPriceAt(network.symbol, row.block_time)
  if (price === undefined) {
    return { state: 'unpriced', reason: `There is no fresh price of ${network.symbol} for the time of the payment yet` }
  }
  return judgeBytes(bytesForUnits(units, network.nativeDecimals, price), price)
}

/**
 * Why a token does not count as one dollar yet; undefined if it does. One that was worth less when it was paid is credited
 * once it is worth enough again, for the operator holds it all the while.
 */
async function doubtToken(
  prices: Prices,
  { symbol, floor }: PaymentToken,
  blockTimeMs: number,
): Promise<string | undefined> {
  if (floor === undefined) return undefined
  switch (await prices.compareWithFloor(floor, blockTimeMs)) {
    case 'above':
      return undefined
    case 'below':
      return `${symbol} was worth less than ${floor.price} dollars: the payment is credited once it is worth that again`
    case 'unknown':
      return `There is no fresh price of ${floor.symbol}, and ${symbol} has to be worth ${floor.price} dollars`
  }
}

function judgeBytes(bytes: bigint, price: PricedAt | undefined): Verdict {
  if (bytes <= 0n) return { state: 'refused', reason: 'The amount is too small to buy a byte' }
  // Beyond this a sum could no longer be counted; it is far more than there is storage.
  if (bytes > 2n ** 50n) return { state: 'refused', reason: 'The amount is too large to be right: ask the operator' }
  return { state: 'credited', bytes: Number(bytes), price }
}

/**
 * Writes a verdict down and, where it is good, credits the account: once for each payment, whoever tries again.
 * @returns whether the account was credited now
 */
export async function applyVerdict(
  trx: Kysely<Schema>,
  row: PaymentRow,
  verdict: Verdict,
  { freeBytes, now }: { freeBytes: number; now: number },
): Promise<boolean> {
  const common = { state: verdict.state, updated_at: now }
  const update = trx.updateTable('payment').where('id', '=', row.id).where('state', 'in', ['seen', 'unpriced'])
  if (verdict.state !== 'credited') {
    await update.set({ ...common, reason: verdict.reason }).execute()
    return false
  }
  const { bytes, price } = verdict
  const done = await update
    .set({
      ...common,
      reason: null,
      bytes,
      credited_at: now,
      price: price?.price.toString() ?? '1',
      price_decimals: price?.decimals ?? 0,
      price_source: price?.source ?? 'one dollar',
    })
    .returning('id')
    .executeTakeFirst()
  if (done === undefined) return false
  await openAccount(trx, row.address, { freeBytes, now })
  const note = `Payment on ${row.network}, transaction ${row.tx_hash}`
  return enter(trx, { address: row.address, kind: 'payment', cause: causeOf(row), bytes, note }, now)
}

/** What a payment is called in the ledger. */
export function causeOf(row: Pick<PaymentRow, 'chain_id' | 'tx_hash' | 'ordinal'>): string {
  return `payment:${row.chain_id}:${row.tx_hash}:${row.ordinal}`
}
