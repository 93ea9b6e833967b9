import { paymentsAbi } from '@cairn/contracts'
import { CairnError, zeroAddress } from '@cairn/protocol'
import { AnswerTooLargeError } from '@cairn/service'
import * as v from 'valibot'
import { decodeEventLog, encodeEventTopics } from 'viem/utils'
import type { PaymentNetwork } from '../settings/payment-settings.ts'
import { createRpc, hexAddress, hexBytes, hexHash, hexNumber, type Rpc, RpcRefusal, toHex } from './rpc.ts'

/** A block of a chain. */
export type Block = { number: number; hash: string; timeMs: number }

/** A payment as emitted by the contract. */
export type PaymentEvent = {
  txHash: string
  /**
   * Number of the event within its transaction, from 0: unlike a log index, it stays the same when the transaction is
   * mined again.
   */
  ordinal: number
  blockNumber: number
  blockHash: string
  payer: string
  /** The account that receives the storage. */
  beneficiary: string
  /** Contract of the token; empty for the chain's own coin. */
  token: string
  units: bigint
  /** The whole log as text, with its place in its transaction: equal fingerprints mean that endpoints agree. */
  fingerprint: string
}

/** Reads one chain at one endpoint: head, final block and events must come from the same endpoint. */
export type ChainReader = {
  getHead(): Promise<Block>
  /** Returns the last final block; undefined while the chain has none. */
  getFinal(head: Block): Promise<Block | undefined>
  getBlock(number: number): Promise<Block | undefined>
  /** Returns the payments in a range of blocks, both ends included, in chain order. */
  getPayments(fromBlock: number, toBlock: number): Promise<PaymentEvent[]>
  /** Returns the payments in the receipt of a transaction, in order; undefined if there is no receipt. */
  getReceipt(txHash: string): Promise<PaymentEvent[] | undefined>
  /** Throws UPSTREAM_FAILED unless the endpoint serves this network's chain. */
  requireChain(): Promise<void>
}

const [paymentTopic = ''] = encodeEventTopics({ abi: paymentsAbi, eventName: 'ReceivedPayment' })

/** The last second that a date can have: later times could not be stored. */
const maxTimeSeconds = 8_640_000_000_000
const blockSchema = v.nullable(
  v.object({ number: hexNumber, hash: hexHash, timestamp: v.pipe(hexNumber, v.maxValue(maxTimeSeconds)) }),
)
const logSchema = v.object({
  address: hexAddress,
  topics: v.strictTuple([hexHash, hexHash, hexHash]),
  data: hexBytes,
  blockNumber: hexNumber,
  blockHash: hexHash,
  transactionHash: hexHash,
  logIndex: hexNumber,
  removed: v.optional(v.boolean(), false),
})
const maxLogs = 100_000
const logsSchema = v.pipe(v.array(logSchema), v.maxLength(maxLogs))
/** Fits a transaction with thousands of logs. Beyond it, the logs of the contract alone are read. */
const maxReceiptBytes = 1024 * 1024
const receiptSchema = v.nullable(
  v.object({
    status: hexNumber,
    transactionHash: hexHash,
    // A transaction may pay as a side effect: its other logs have other shapes.
    logs: v.array(v.looseObject({ address: hexAddress, topics: v.array(hexHash) })),
  }),
)
const transactionSchema = v.nullable(v.object({ hash: hexHash, blockHash: v.nullish(hexHash) }))

export function createChainReader(network: PaymentNetwork, url: string, signal?: AbortSignal): ChainReader {
  const rpc = createRpc(url, signal)
  const logsOfBlock = createBlockLogs(rpc, network)
  const getBlock = async (which: string): Promise<Block | undefined> => {
    const block = await rpc.ask('eth_getBlockByNumber', [which, false], blockSchema)
    return block === null ? undefined : { number: block.number, hash: block.hash, timeMs: block.timestamp * 1000 }
  }
  return {
    async getHead() {
      const head = await getBlock('latest')
      if (head === undefined) throw new CairnError('UPSTREAM_FAILED', { message: 'The chain has no blocks' })
      return head
    },
    async getFinal(head) {
      const { finality } = network
      if ('blocks' in finality) {
        return head.number < finality.blocks ? undefined : getBlock(toHex(head.number - finality.blocks))
      }
      const final = await getBlock(finality.tag)
      // An endpoint may return a newer final block by tag than its head: the head counts.
      return final === undefined || final.number > head.number ? undefined : final
    },
    getBlock: (number) => getBlock(toHex(number)),
    getPayments: (fromBlock, toBlock) => getPayments(rpc, network, fromBlock, toBlock),
    getReceipt: (txHash) => getReceipt(rpc, network, txHash, logsOfBlock),
    async requireChain() {
      const chainId = await rpc.ask('eth_chainId', [], hexNumber)
      if (chainId === network.chainId) return
      throw new CairnError('UPSTREAM_FAILED', {
        message: `An endpoint of ${network.name} is on chain ${chainId}, not ${network.chainId}`,
      })
    },
  }
}

async function getPayments(
  rpc: Rpc,
  network: PaymentNetwork,
  fromBlock: number,
  toBlock: number,
): Promise<PaymentEvent[]> {
  const filter = {
    address: network.contract,
    topics: [paymentTopic],
    // Numbers, not tags: not every node accepts tags here.
    fromBlock: toHex(fromBlock),
    toBlock: toHex(toBlock),
  }
  const logs = await rpc.ask('eth_getLogs', [filter], logsSchema)
  const isAsked = (log: PaymentLog) =>
    isPayment(network, log) && !log.removed && log.blockNumber >= fromBlock && log.blockNumber <= toBlock
  if (!logs.every(isAsked))
    throw new CairnError('UPSTREAM_FAILED', { message: 'The chain returned events that were not requested' })
  return toEvents(logs)
}

async function getReceipt(
  rpc: Rpc,
  network: PaymentNetwork,
  txHash: string,
  logsOfBlock: BlockLogs,
): Promise<PaymentEvent[] | undefined> {
  const receipt = await rpc
    .ask('eth_getTransactionReceipt', [txHash], receiptSchema, maxReceiptBytes)
    .catch((error: unknown) => {
      if (isWithheld(error)) return undefined
      throw error
    })
  if (receipt === undefined) return getPaymentsOf(rpc, network, txHash, logsOfBlock)
  if (receipt === null || receipt.transactionHash !== txHash || receipt.status !== 1) return undefined
  const own = receipt.logs.filter((log) => isPayment(network, log))
  const logs = v.safeParse(v.array(logSchema), own)
  if (!logs.success)
    throw new CairnError('UPSTREAM_FAILED', { message: 'An endpoint of the chain returned a malformed receipt' })
  return toEvents(logs.output)
}

/**
 * Whether a receipt is too long, or refused. A transaction can pay and add tens of thousands of other logs, which must not stop
 * the payments of others.
 */
function isWithheld(error: unknown): boolean {
  return error instanceof RpcRefusal || (CairnError.is(error) && error.cause instanceof AnswerTooLargeError)
}

/** The same as the receipt of a transaction, from the logs of the contract in its block. */
async function getPaymentsOf(
  rpc: Rpc,
  network: PaymentNetwork,
  txHash: string,
  logsOfBlock: BlockLogs,
): Promise<PaymentEvent[] | undefined> {
  const transaction = await rpc.ask('eth_getTransactionByHash', [txHash], transactionSchema)
  const { hash, blockHash } = transaction ?? {}
  if (hash !== txHash || blockHash === undefined || blockHash === null) return undefined
  return toEvents(
    (await logsOfBlock(blockHash)).filter(
      (log) => isPayment(network, log) && !log.removed && log.blockHash === blockHash && log.transactionHash === txHash,
    ),
  )
}

type PaymentLog = v.InferOutput<typeof logSchema>

/** Returns the logs of the contract in the block with a hash. */
type BlockLogs = (blockHash: string) => Promise<PaymentLog[]>

/** Keeps those of the last block, of which many transactions may ask in a row: a block may have megabytes of them. */
function createBlockLogs(rpc: Rpc, { contract: address }: PaymentNetwork): BlockLogs {
  let last: { blockHash: string; logs: Promise<PaymentLog[]> } | undefined
  return (blockHash) => {
    if (last?.blockHash !== blockHash) {
      const filter = { address, topics: [paymentTopic], blockHash }
      last = { blockHash, logs: rpc.ask('eth_getLogs', [filter], logsSchema) }
    }
    return last.logs
  }
}

function isPayment(network: PaymentNetwork, log: { address: string; topics: readonly string[] }): boolean {
  return log.address === network.contract && log.topics[0] === paymentTopic
}

/**
 * Counts each payment within its transaction: endpoints number logs within blocks differently.
 * @throws CairnError UPSTREAM_FAILED if a log appears twice: it would count as two payments
 */
function toEvents(logs: readonly PaymentLog[]): PaymentEvent[] {
  const counts = new Map<string, number>()
  if (new Set(logs.map((log) => `${log.transactionHash} ${log.logIndex}`)).size < logs.length)
    throw new CairnError('UPSTREAM_FAILED', { message: 'An endpoint of the chain returned an event twice' })
  return logs
    .toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
    .map((log) => {
      const { transactionHash: txHash, blockNumber, blockHash, topics, data } = log
      const ordinal = counts.get(txHash) ?? 0
      counts.set(txHash, ordinal + 1)
      const fingerprint = JSON.stringify([blockNumber, blockHash, txHash, ordinal, topics, data])
      return { ...decode(log), ordinal, fingerprint }
    })
}

function decode(log: PaymentLog): Omit<PaymentEvent, 'ordinal' | 'fingerprint'> {
  const { sender, tokenAddress, amount, data } = decodeArgs(log)
  const payer = sender.toLowerCase()
  const token = tokenAddress.toLowerCase()
  return {
    txHash: log.transactionHash,
    blockNumber: log.blockNumber,
    blockHash: log.blockHash,
    payer,
    beneficiary: readBeneficiary(data) ?? payer,
    token: token === zeroAddress ? '' : token,
    units: amount,
  }
}

function decodeArgs({ topics, data }: PaymentLog) {
  try {
    return decodeEventLog({ abi: paymentsAbi, eventName: 'ReceivedPayment', topics, data }).args
  } catch (cause) {
    throw new CairnError('UPSTREAM_FAILED', { message: 'An endpoint of the chain returned a malformed event', cause })
  }
}

/** A payment for another account carries that address, as one word of the ABI. */
function readBeneficiary(data: string): string | undefined {
  const address = /^0x0{24}([0-9a-fA-F]{40})$/.exec(data)?.[1]?.toLowerCase()
  return address === undefined || /^0+$/.test(address) ? undefined : `0x${address}`
}
