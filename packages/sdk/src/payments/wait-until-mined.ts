import { CairnError } from '@cairn/protocol'
import type { Chain, Client, Hash, ReplacementReason, Transport } from 'viem'
import { waitForCallsStatus, waitForTransactionReceipt } from 'viem/actions'
import { waitFor } from '../wait-for.ts'
import { replacedTransaction, type SentPurpose, unknownOutcome } from './pay-errors.ts'

/** Time limit for a transaction, or the batch of a wallet, to be in a block. */
const minedTimeoutMs = 10 * 60_000

type ChainClient = Client<Transport, Chain>

/**
 * Waits until a transaction is in a block.
 * @returns the transaction: the same one with a higher fee may have replaced it
 * @throws CairnError PAYMENT_FAILED (`details.outcome` states whether the money may be paid), ABORTED
 */
export async function waitUntilMined(
  { reader, signal }: { reader: ChainClient; signal: AbortSignal | undefined },
  hash: Hash,
  purpose: SentPurpose,
): Promise<string> {
  const replacements: ReplacementReason[] = []
  const { status, transactionHash } = await settle(purpose, { txHash: hash }, signal, () =>
    waitForTransactionReceipt(reader, {
      hash,
      timeout: minedTimeoutMs,
      onReplaced: ({ reason }) => replacements.push(reason),
    }),
  )
  const reason = replacements.find((one) => one !== 'repriced')
  if (reason !== undefined) throw replacedTransaction(purpose, reason, transactionHash)
  if (status !== 'success') {
    throw new CairnError('PAYMENT_FAILED', { details: { txHash: transactionHash, outcome: 'unpaid' } })
  }
  return transactionHash
}

/**
 * Waits until the batch of a wallet is decided.
 * @throws CairnError PAYMENT_FAILED, with an unknown outcome; ABORTED
 */
export function waitForBatch({ wallet, signal }: { wallet: ChainClient; signal: AbortSignal | undefined }, id: string) {
  return settle('pay', { batchId: id }, signal, () => waitForCallsStatus(wallet, { id, timeout: minedTimeoutMs }))
}

/** An error while waiting says nothing about the outcome of what was sent. The caller may stop waiting. */
async function settle<T>(
  purpose: SentPurpose,
  sent: { txHash: string } | { batchId: string },
  signal: AbortSignal | undefined,
  wait: () => Promise<T>,
): Promise<T> {
  try {
    return await waitFor(wait(), signal)
  } catch (error) {
    throw unknownOutcome(purpose, sent, error)
  }
}
