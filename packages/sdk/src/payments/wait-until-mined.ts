import { CairnError } from '@cairn/protocol'
import {
  BaseError,
  type Chain,
  type Client,
  createClient,
  custom,
  type Hash,
  type ReplacementReason,
  TransactionReceiptNotFoundError,
  type Transport,
} from 'viem'
import { waitForCallsStatus, waitForTransactionReceipt } from 'viem/actions'
import { pause } from '../request.ts'
import { waitFor } from '../wait-for.ts'
import { replacedTransaction, type SentPurpose, unknownOutcome } from './pay-errors.ts'

/** Time limit for a transaction, or the batch of a wallet, to be in a block. */
const minedTimeoutMs = 10 * 60_000
/** Time between two queries. */
const pollMs = 500
/** Queries for a transaction or block that an endpoint does not know yet, in a row: 25 seconds. */
const lookupRetries = 50

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
  const { status, transactionHash } = await settle(purpose, { txHash: hash }, { client: reader, signal }, (client) =>
    findReceipt(client, hash, (reason) => replacements.push(reason)),
  )
  const reason = replacements.find((one) => one !== 'repriced')
  if (reason !== undefined) throw replacedTransaction(purpose, reason, transactionHash)
  if (status !== 'success') {
    throw new CairnError('PAYMENT_FAILED', { details: { txHash: transactionHash, outcome: 'unpaid' } })
  }
  return transactionHash
}

/**
 * Waits for a receipt. An endpoint may know a block before the receipts in it: viem then takes the transaction for a replacement
 * of itself, and fails.
 */
async function findReceipt(client: ChainClient, hash: Hash, onReplaced: (reason: ReplacementReason) => void) {
  for (;;) {
    try {
      return await waitForTransactionReceipt(client, {
        hash,
        timeout: 0,
        retryCount: lookupRetries,
        retryDelay: pollMs,
        onReplaced: ({ reason }) => onReplaced(reason),
      })
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error
      await pause(pollMs, undefined)
    }
  }
}

/**
 * Waits until the batch of a wallet is decided.
 * @throws CairnError PAYMENT_FAILED, with an unknown outcome; ABORTED
 */
export function waitForBatch({ wallet, signal }: { wallet: ChainClient; signal: AbortSignal | undefined }, id: string) {
  return settle('pay', { batchId: id }, { client: wallet, signal }, (client) =>
    waitForCallsStatus(client, { id, timeout: 0 }),
  )
}

/** An error while waiting says nothing about the outcome of what was sent. The caller may stop waiting. */
async function settle<T>(
  purpose: SentPurpose,
  sent: { txHash: string } | { batchId: string },
  { client, signal }: { client: ChainClient; signal: AbortSignal | undefined },
  wait: (client: ChainClient) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new BaseError('It was not in a block after ten minutes.')), minedTimeoutMs)
  })
  try {
    return await Promise.race([waitFor(wait(untilOver(client, over.signal)), signal), late])
  } catch (error) {
    throw unknownOutcome(purpose, sent, error)
  } finally {
    clearTimeout(timer)
    over.abort()
  }
}

/**
 * Returns a client whose requests do not return any more once the wait is over. viem's waits take no signal: they would query
 * the chain, and keep a program from exiting, until their time limit.
 */
function untilOver(client: ChainClient, over: AbortSignal): ChainClient {
  const request = async (query: Parameters<ChainClient['request']>[0]): Promise<unknown> => {
    const never = new Promise<never>(() => undefined)
    if (over.aborted) return never
    try {
      return await client.request(query)
    } catch (error) {
      if (over.aborted) return never
      throw error
    }
  }
  const transport = custom({ request }, { retryCount: 0 })
  return createClient({ chain: client.chain, ccipRead: false, transport, pollingInterval: pollMs })
}
