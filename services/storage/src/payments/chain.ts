import { CairnError } from '@cairn/protocol'
import * as v from 'valibot'
import { decodeAbiParameters, encodeEventTopics } from 'viem/utils'
import type { PaymentNetwork } from './payment-settings.ts'
import { createRpc, hexAddress, hexBytes, hexHash, hexNumber, type Rpc, toHex } from './rpc.ts'

/** A block of a chain. */
export type Block = { number: number; hash: string; timeMs: number }

/** A payment as the contract told of it. */
export type PaymentEvent = {
  txHash: string
  /** Which event of its transaction, counted from 0: unlike a log index it stays when the transaction is mined anew. */
  ordinal: number
  blockNumber: number
  blockHash: string
  payer: string
  /** Who gets the storage. */
  beneficiary: string
  /** Contract of the token; empty for the chain's own coin. */
  token: string
  units: bigint
}

/** Reads one network at one endpoint: head, final block and events must come from the same. */
export type ChainReader = {
  getHead(): Promise<Block>
  /** The last final block; undefined where the chain has none yet. */
  getFinal(head: Block): Promise<Block | undefined>
  getBlock(number: number): Promise<Block | undefined>
  /** Payments in a range of blocks, both ends included, in the order of the chain. */
  getPayments(fromBlock: number, toBlock: number): Promise<PaymentEvent[]>
  /** Throws UPSTREAM_FAILED unless the endpoint is one of this network's chain. */
  requireChain(): Promise<void>
}

const paymentEvent = {
  type: 'event',
  name: 'ReceivedPayment',
  inputs: [
    { name: 'sender', type: 'address', indexed: true },
    { name: 'tokenAddress', type: 'address', indexed: true },
    { name: 'txId', type: 'uint256' },
    { name: 'amount', type: 'uint256' },
    { name: 'timestamp', type: 'uint256' },
    { name: 'data', type: 'bytes' },
  ],
} as const
const [paymentTopic = ''] = encodeEventTopics({ abi: [paymentEvent] })
const noToken = `0x${'0'.repeat(40)}`

const blockSchema = v.nullable(v.object({ number: hexNumber, hash: hexHash, timestamp: hexNumber }))
const logSchema = v.object({
  address: hexAddress,
  topics: v.pipe(v.array(hexHash), v.length(3)),
  data: hexBytes,
  blockNumber: hexNumber,
  blockHash: hexHash,
  transactionHash: hexHash,
  logIndex: hexNumber,
  removed: v.optional(v.boolean(), false),
})
const logsMost = 100_000

export function createChainReader(network: PaymentNetwork, url: string, signal?: AbortSignal): ChainReader {
  const rpc = createRpc(url, signal)
  const getBlock = async (which: string): Promise<Block | undefined> => {
    const block = await rpc.ask('eth_getBlockByNumber', [which, false], blockSchema)
    return block === null ? undefined : { number: block.number, hash: block.hash, timeMs: block.timestamp * 1000 }
  }
  return {
    async getHead() {
      const head = await getBlock('latest')
      if (head === undefined) throw new CairnError('UPSTREAM_FAILED', { message: 'The chain has no block' })
      return head
    },
    async getFinal(head) {
      const { finality } = network
      if ('blocks' in finality) {
        return head.number < finality.blocks ? undefined : getBlock(toHex(head.number - finality.blocks))
      }
      const final = await getBlock(finality.tag)
      // An endpoint may know a newer final block by tag than it has shown as its head: what it shows counts.
      return final === undefined || final.number > head.number ? undefined : final
    },
    getBlock: (number) => getBlock(toHex(number)),
    getPayments: (fromBlock, toBlock) => getPayments(rpc, network, fromBlock, toBlock),
    async requireChain() {
      const chainId = await rpc.ask('eth_chainId', [], hexNumber)
      if (chainId === network.chainId) return
      throw new CairnError('UPSTREAM_FAILED', {
        message: `An endpoint of ${network.name} is on chain ${chainId}, not ${network.chainId}`,
      })
    },
  }
}

async function getPayments(rpc: Rpc, network: PaymentNetwork, fromBlock: number, toBlock: number) {
  const filter = {
    address: network.contract,
    topics: [paymentTopic],
    // Numbers, not tags: not every node takes tags here.
    fromBlock: toHex(fromBlock),
    toBlock: toHex(toBlock),
  }
  const schema = v.pipe(v.array(logSchema), v.maxLength(logsMost))
  const logs = await rpc.ask('eth_getLogs', [filter], schema)
  logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  const counts = new Map<string, number>()
  return logs.map((log): PaymentEvent => {
    const isAsked =
      log.address === network.contract &&
      log.topics[0] === paymentTopic &&
      !log.removed &&
      log.blockNumber >= fromBlock &&
      log.blockNumber <= toBlock
    if (!isAsked)
      throw new CairnError('UPSTREAM_FAILED', { message: 'The chain answered with other events than asked' })
    const ordinal = counts.get(log.transactionHash) ?? 0
    counts.set(log.transactionHash, ordinal + 1)
    return { ...decode(log), ordinal }
  })
}

function decode(log: v.InferOutput<typeof logSchema>): Omit<PaymentEvent, 'ordinal'> {
  const [, sender = '', token = ''] = log.topics
  const [, units, , data] = decodeAbiParameters(paymentEvent.inputs.slice(2), log.data) as [
    bigint,
    bigint,
    bigint,
    `0x${string}`,
  ]
  const payer = `0x${sender.slice(-40)}`
  const tokenAddress = `0x${token.slice(-40)}`
  return {
    txHash: log.transactionHash,
    blockNumber: log.blockNumber,
    blockHash: log.blockHash,
    payer,
    beneficiary: readBeneficiary(data) ?? payer,
    token: tokenAddress === noToken ? '' : tokenAddress,
    units,
  }
}

/** A payment for somebody else carries his address, as one word of the ABI. */
function readBeneficiary(data: string): string | undefined {
  const address = /^0x0{24}([0-9a-fA-F]{40})$/.exec(data)?.[1]?.toLowerCase()
  return address === undefined || /^0+$/.test(address) ? undefined : `0x${address}`
}
