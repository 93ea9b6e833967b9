import { CairnError } from '@cairn/protocol'
import type { PaymentNetwork } from '../settings/payment-settings.ts'
import type { Block, ChainReader, PaymentEvent } from './chain.ts'
import type { Answer } from './panel.ts'

/** Progress of an endpoint. */
export type Sighting = {
  head: Block
  final: Block | undefined
  /** The last block that was read before, as this endpoint returns it now. */
  last: Block | undefined
}

/** The report of an endpoint about a range of final blocks. */
export type Evidence = { block: Block; events: PaymentEvent[] }

/** Maximum number of concurrent single-payment queries per endpoint. */
const questionsAtOnce = 8
/** Maximum number of transactions listed in an error. */
const maxNamed = 3

/** Reads the progress of an endpoint. @param lastBlock number of the last block that was read before */
export async function sight(reader: ChainReader, lastBlock: number | undefined): Promise<Sighting> {
  await reader.requireChain()
  const last = lastBlock === undefined ? undefined : await reader.getBlock(lastBlock)
  const head = await reader.getHead()
  return { head, final: await reader.getFinal(head), last }
}

/**
 * Reads the payments in a range of blocks, both ends included. Behind a load balancer, events may come from a node
 * that lags and lacks some, so the last block is read before and after.
 */
export async function readEvidence(
  network: PaymentNetwork,
  reader: ChainReader,
  from: number,
  to: number,
): Promise<Evidence> {
  const before = await requireBlock(reader, to)
  const events = await reader.getPayments(from, to)
  const after = await requireBlock(reader, to)
  if (before.hash !== after.hash) throw unsettled(network)
  return { block: after, events }
}

/** Equal for endpoints that return the same last block and the same payments, log by log. */
export function keyOfEvidence({ block, events }: Evidence): string {
  return JSON.stringify([block.hash, events.map(({ fingerprint }) => fingerprint)])
}

/** Describes in one public sentence what endpoints disagree about. */
export function describeContradiction(
  { name }: PaymentNetwork,
  from: number,
  to: number,
  answers: readonly Answer<Evidence>[],
): CairnError {
  const hashes = new Set(answers.map(({ value }) => value.block.hash))
  return new CairnError('UPSTREAM_FAILED', {
    message:
      hashes.size > 1
        ? `The endpoints of ${name} disagree about the final block ${to}`
        : `The endpoints of ${name} disagree about the payments in blocks ${from} to ${to}: ${nameDifferences(answers)}`,
    hint: 'Crediting resumes when they agree. Remove the wrong endpoint from the configuration.',
  })
}

/** Returns the transactions that endpoints report differently. */
function nameDifferences(answers: readonly Answer<Evidence>[]): string {
  const reporters = new Map<string, { txHash: string; at: number[] }>()
  for (const { endpoint, value } of answers) {
    for (const { fingerprint, txHash } of value.events) {
      const entry = reporters.get(fingerprint) ?? { txHash, at: [] }
      entry.at.push(endpoint.index)
      reporters.set(fingerprint, entry)
    }
  }
  const disputed = [...reporters.values()].filter(({ at }) => at.length < answers.length)
  const named = disputed.slice(0, maxNamed).map(({ txHash, at }) => `${txHash} (only from endpoint ${at.join(', ')})`)
  const rest = disputed.length - named.length
  return `${named.join('; ')}${rest > 0 ? `; ${rest} more` : ''}`
}

/**
 * Confirms payments at one endpoint, each by the receipt of its transaction and by its block.
 * @param events payments to confirm
 * @param all what the endpoint reports for the range: the receipt must contain exactly the same payments
 * @returns the time of each block, in ms
 */
export async function confirmEvents(
  network: PaymentNetwork,
  reader: ChainReader,
  events: readonly PaymentEvent[],
  all: readonly PaymentEvent[],
): Promise<Map<number, number>> {
  const byTransaction = Map.groupBy(all, ({ txHash }) => txHash)
  await inBatches([...new Set(events.map(({ txHash }) => txHash))], async (txHash) => {
    const receipt = await reader.getReceipt(txHash)
    const reported = fingerprintsOf(byTransaction.get(txHash) ?? [])
    if (receipt !== undefined && fingerprintsOf(receipt) === reported) return
    throw new CairnError('UPSTREAM_FAILED', {
      message: `The receipt of transaction ${txHash} does not contain the payments reported by an endpoint of ${network.name}`,
    })
  })
  const times = new Map<number, number>()
  const hashes = new Map(events.map(({ blockNumber, blockHash }) => [blockNumber, blockHash]))
  await inBatches([...hashes], async ([number, hash]) => {
    const block = await requireBlock(reader, number)
    if (block.hash !== hash) throw unsettled(network)
    times.set(number, block.timeMs)
  })
  return new Map([...times].sort(([a], [b]) => a - b))
}

function fingerprintsOf(events: readonly PaymentEvent[]): string {
  return JSON.stringify(events.map(({ fingerprint }) => fingerprint))
}

/** Works on all items, a few at once. */
export async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let i = 0; i < items.length; i += questionsAtOnce) {
    await Promise.all(items.slice(i, i + questionsAtOnce).map(work))
  }
}

async function requireBlock(reader: ChainReader, number: number): Promise<Block> {
  const block = await reader.getBlock(number)
  if (block === undefined)
    throw new CairnError('UPSTREAM_FAILED', { message: `The chain did not return block ${number}` })
  return block
}

function unsettled(network: PaymentNetwork): CairnError {
  return new CairnError('UPSTREAM_FAILED', { message: `The chain ${network.name} changed while it was read` })
}
