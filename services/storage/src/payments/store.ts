import { paymentReason } from '@cairn/protocol'
import { uuidv7 } from '@cairn/service'
import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { noReason, reasonColumns } from '../db/stored-reasons.ts'
import { coinOf, type PaymentNetwork } from '../settings/payment-settings.ts'
import type { Block, PaymentEvent } from './chain.ts'

export type PaymentRow = Selectable<Schema['payment']>
export type CursorRow = Selectable<Schema['chain_cursor']>

/** Inserts an event, or updates the row of one that was mined again. A decided state stays. */
export async function writePayment(
  trx: Kysely<Schema>,
  network: PaymentNetwork,
  event: PaymentEvent,
  { blockTimeMs, now }: { blockTimeMs: number; now: number },
): Promise<PaymentRow> {
  const place = { block_number: event.blockNumber, block_hash: event.blockHash, block_time: blockTimeMs }
  const said = {
    payer: event.payer,
    address: event.beneficiary,
    token: event.token,
    coin: coinOf(network, event.token),
    units: event.units.toString(),
  }
  await trx
    .insertInto('payment')
    .values({
      id: uuidv7(now),
      network: network.name,
      chain_id: network.chainId,
      tx_hash: event.txHash,
      ordinal: event.ordinal,
      ...place,
      ...said,
      state: 'seen',
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['chain_id', 'tx_hash', 'ordinal'])
        .doUpdateSet({ ...place, ...said, ...noReason, state: 'seen', updated_at: now })
        .where('payment.state', 'in', ['seen', 'orphaned']),
    )
    .execute()
  return trx
    .selectFrom('payment')
    .selectAll()
    .where('chain_id', '=', network.chainId)
    .where('tx_hash', '=', event.txHash)
    .where('ordinal', '=', event.ordinal)
    .executeTakeFirstOrThrow()
}

/** Identifies a payment on its chain. */
export function nameOf({ txHash, ordinal }: Pick<PaymentEvent, 'txHash' | 'ordinal'>): string {
  return `${txHash}:${ordinal}`
}

/** The same of a stored payment. */
export function nameOfRow({ tx_hash: txHash, ordinal }: Pick<PaymentRow, 'tx_hash' | 'ordinal'>): string {
  return nameOf({ txHash, ordinal })
}

/** Returns the payments shown in a range of blocks, both ends included, that are not decided and not reported now. */
export async function findMissing(
  db: Kysely<Schema>,
  { chainId }: PaymentNetwork,
  { from, to, reported }: { from: number; to: number; reported: ReadonlySet<string> },
): Promise<Pick<PaymentRow, 'id' | 'tx_hash' | 'ordinal' | 'block_number' | 'block_hash'>[]> {
  const rows = await db
    .selectFrom('payment')
    .select(['id', 'tx_hash', 'ordinal', 'block_number', 'block_hash'])
    .where('chain_id', '=', chainId)
    .where('state', '=', 'seen')
    .where('block_number', '>=', from)
    .where('block_number', '<=', to)
    .execute()
  return rows.filter((row) => !reported.has(nameOfRow(row)))
}

/**
 * Marks payments in a range of blocks that no longer exist: a reorganisation removed them.
 * @param kept names of the payments that still exist
 */
export async function orphanUnseen(
  trx: Kysely<Schema>,
  network: PaymentNetwork,
  { from, to, kept, now }: { from: number; to: number; kept: ReadonlySet<string>; now: number },
): Promise<number> {
  const gone = await findMissing(trx, network, { from, to, reported: kept })
  const reason = reasonColumns(paymentReason('BLOCK_DROPPED'))
  for (const { id } of gone) {
    await trx
      .updateTable('payment')
      .set({ state: 'orphaned', ...reason, updated_at: now })
      .where('id', '=', id)
      .where('state', '=', 'seen')
      .execute()
  }
  return gone.length
}

/** Returns how far the chain was read. Ignores a cursor of another contract. */
export async function findCursor(
  db: Kysely<Schema>,
  { chainId, contract }: PaymentNetwork,
): Promise<CursorRow | undefined> {
  return db
    .selectFrom('chain_cursor')
    .selectAll()
    .where('chain_id', '=', chainId)
    .where('contract', '=', contract)
    .executeTakeFirst()
}

/** Advances the cursor. */
export async function writeCursor(
  trx: Kysely<Schema>,
  { chainId, contract }: PaymentNetwork,
  { final, headBlock, now }: { final: Pick<Block, 'number' | 'hash'>; headBlock: number; now: number },
): Promise<void> {
  const values = {
    contract,
    final_block: final.number,
    final_hash: final.hash,
    head_block: headBlock,
    checked_at: now,
    fault: null,
    fault_facts: null,
  }
  await trx
    .insertInto('chain_cursor')
    .values({ chain_id: chainId, ...values })
    .onConflict((conflict) => conflict.column('chain_id').doUpdateSet(values))
    .execute()
}

/** Returns payments without a price, in order of insertion. @param after id of the last one of the previous round */
export async function findUnpriced(
  db: Kysely<Schema>,
  { chainId }: PaymentNetwork,
  { after, limit }: { after: string; limit: number },
): Promise<PaymentRow[]> {
  return db
    .selectFrom('payment')
    .selectAll()
    .where('chain_id', '=', chainId)
    .where('state', '=', 'unpriced')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}
