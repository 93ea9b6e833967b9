import { CairnError } from '@cairn/protocol'
import type { PaymentNetwork } from '../settings/payment-settings.ts'
import type { Endpoint, Panel } from './panel.ts'
import { inBatches } from './read-final.ts'
import { nameOf, nameOfRow, type PaymentRow } from './store.ts'

/** A payment that was shown, and that endpoints do not report now. */
export type MissingPayment = Pick<PaymentRow, 'tx_hash' | 'ordinal' | 'block_number' | 'block_hash'>

/**
 * Returns the missing payments that the chain did not drop, as far as is known: a quorum must have another block in the place
 * of theirs. A node that lags behind others of its load balancer answers without its newest payments.
 * @returns their names
 */
export async function findUndropped(
  { quorum }: PaymentNetwork,
  panel: Panel,
  endpoints: readonly Endpoint[],
  missing: readonly MissingPayment[],
): Promise<Set<string>> {
  if (missing.length === 0) return new Set()
  const numbers = new Set(missing.map(({ block_number: number }) => number))
  const answers = await panel.ask(endpoints, async (reader) => {
    const hashes = new Map<number, string | undefined>()
    await inBatches([...numbers], async (number) => {
      hashes.set(number, (await reader.getBlock(number))?.hash)
    })
    return hashes
  })
  const isUndropped = ({ block_number: number, block_hash: hash }: MissingPayment): boolean => {
    const found = answers.flatMap(({ value }) => value.get(number) ?? [])
    return found.length < quorum || found.includes(hash)
  }
  return new Set(missing.filter(isUndropped).map(nameOfRow))
}

/**
 * Requires that no endpoint omits a payment of final blocks: the next rounds would not read it again.
 * @param range the blocks whose payments the endpoints reported, both ends included
 * @returns the names of those that are in later blocks now
 * @throws CairnError UPSTREAM_FAILED if too few endpoints report what their receipts contain
 */
export async function requireNoneOmitted(
  { name }: PaymentNetwork,
  panel: Panel,
  endpoints: readonly Endpoint[],
  missing: readonly MissingPayment[],
  { from, to }: { from: number; to: number },
): Promise<Set<string>> {
  if (missing.length === 0) return new Set()
  const names = new Set(missing.map(nameOfRow))
  const answers = await panel.ask(endpoints, async (reader) => {
    const later: string[] = []
    await inBatches([...new Set(missing.map(({ tx_hash: txHash }) => txHash))], async (txHash) => {
      const receipt = (await reader.getReceipt(txHash)) ?? []
      for (const event of receipt.filter((one) => names.has(nameOf(one)))) {
        if (event.blockNumber > to) later.push(nameOf(event))
        else if (event.blockNumber >= from) {
          throw new CairnError('UPSTREAM_FAILED', {
            message: `An endpoint of ${name} omits a payment that the receipt of transaction ${txHash} contains`,
          })
        }
      }
    })
    return later
  })
  return new Set(answers.flatMap(({ value }) => value))
}
