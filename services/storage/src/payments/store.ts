import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { createUploadId } from '../uploads/upload-id.ts'
import type { Block, PaymentEvent } from './chain.ts'
import { coinOf, type PaymentNetwork } from './payment-settings.ts'

export type PaymentRow = Selectable<Schema['payment']>
export type CursorRow = Selectable<Schema['chain_cursor']>

/** Writes an event down, or brings the row of one that was mined anew up to date. What is decided already stays. */
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
      id: createUploadId(now),
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
        .doUpdateSet({ ...place, ...said, state: 'seen', updated_at: now })
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

/** Names a payment on its chain. */
export function nameOf({ txHash, ordinal }: Pick<PaymentEvent, 'txHash' | 'ordinal'>): string {
  return `${txHash}:${ordinal}`
}

/**
 * Marks what was seen in a range of blocks and is no longer there: a reorganisation took it.
 * @param kept names of the payments that are there
 */
export async function orphanUnseen(
  trx: Kysely<Schema>,
  network: PaymentNetwork,
  { from, to, kept, now }: { from: number; to: number; kept: ReadonlySet<string>; now: number },
): Promise<number> {
  const rows = await trx
    .selectFrom('payment')
    .select(['id', 'tx_hash', 'ordinal'])
    .where('chain_id', '=', network.chainId)
    .where('state', '=', 'seen')
    .where('block_number', '>=', from)
    .where('block_number', '<=', to)
    .execute()
  const gone = rows.filter(({ tx_hash: txHash, ordinal }) => !kept.has(nameOf({ txHash, ordinal }))).map(({ id }) => id)
  for (const id of gone) {
    await trx
      .updateTable('payment')
      .set({ state: 'orphaned', reason: 'The chain dropped the block it was in', updated_at: now })
      .where('id', '=', id)
      .where('state', '=', 'seen')
      .execute()
  }
  return gone.length
}

/** How far the chain was read for good. A cursor of another contract is none. */
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

/** Moves the cursor on. */
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
  }
  await trx
    .insertInto('chain_cursor')
    .values({ chain_id: chainId, ...values })
    .onConflict((conflict) => conflict.column('chain_id').doUpdateSet(values))
    .execute()
}

/** Payments that wait for a price, in the order they were seen. @param after id of the last one of the round before */
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
