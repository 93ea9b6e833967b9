import { formatUnits, type Payment } from '@cairn/protocol'
import { readFacts } from '../db/stored-reasons.ts'
import type { PaymentNetwork } from '../settings/payment-settings.ts'
import type { CursorRow, PaymentRow } from './store.ts'

/** Formats a payment for the wire. */
export function describePayment(
  row: PaymentRow,
  network: PaymentNetwork | undefined,
  cursor: Pick<CursorRow, 'head_block'> | undefined,
): Payment {
  return {
    id: row.id,
    network: row.network,
    chainId: row.chain_id,
    txHash: row.tx_hash,
    ordinal: row.ordinal,
    blockNumber: row.block_number,
    payer: row.payer,
    beneficiary: row.address,
    coin: row.coin,
    token: row.token,
    units: row.units,
    state: row.state,
    reason: row.reason,
    reasonFacts: readFacts(row.reason_facts),
    confirmations: row.state === 'seen' ? countConfirmations(row, network, cursor) : null,
    bytes: row.bytes,
    price: row.price === null ? null : formatUnits(BigInt(row.price), row.price_decimals ?? 0),
    seenAt: row.created_at,
    creditedAt: row.credited_at,
  }
}

/**
 * The number of required blocks is known when finality is counted in blocks; otherwise the chain reports finality
 * itself.
 */
function countConfirmations(
  row: PaymentRow,
  network: PaymentNetwork | undefined,
  cursor: Pick<CursorRow, 'head_block'> | undefined,
): { have: number; need: number | null } {
  const have = Math.max(0, (cursor?.head_block ?? row.block_number) - row.block_number)
  const need = network !== undefined && 'blocks' in network.finality ? network.finality.blocks : null
  return { have, need }
}
