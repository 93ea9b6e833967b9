import { setTimeout as delay } from 'node:timers/promises'
import {
  type Chain,
  type Hash,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  type Transport,
} from 'viem'

/** How to wait, in milliseconds. */
export type ReceiptWait = { timeoutMs: number; pollMs: number }

/**
 * Returns the receipt of a transaction once it is mined. viem's own wait looks once per block: on a chain that mines only
 * transactions, a receipt that appears a moment after its block number is never looked for again.
 *
 * @throws the abort reason of a timeout after `timeoutMs`
 */
export async function waitForReceipt(
  reader: PublicClient<Transport, Chain | undefined>,
  hash: Hash,
  { timeoutMs, pollMs }: ReceiptWait,
): Promise<TransactionReceipt> {
  const signal = AbortSignal.timeout(timeoutMs)
  for (;;) {
    try {
      return await reader.getTransactionReceipt({ hash })
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error
    }
    await delay(pollMs, undefined, { signal })
  }
}
