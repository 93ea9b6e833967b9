import { CairnError } from '@cairn/protocol'
import { isExecutionError } from '@cairn/service'
import * as v from 'valibot'
import { decodeAbiParameters, encodeFunctionData } from 'viem/utils'
import type { PriceFeed } from '../settings/payment-settings.ts'
import { createRpc, hexBytes, type Rpc, RpcRefusal } from './rpc.ts'

/** One round of a feed: its price applied from `updatedAtMs` until the next round. */
export type FeedRound = { roundId: bigint; price: bigint; updatedAtMs: number }

/** Reads a feed at its latest state: past rounds need no archive node. */
export type FeedReader = {
  /** Decimals of its prices. */
  getDecimals(): Promise<number>
  getLatest(): Promise<FeedRound>
  /**
   * Undefined when the round does not exist or was never answered.
   * @throws CairnError UPSTREAM_FAILED for another round: searches end because each one is the requested one
   */
  getRound(roundId: bigint): Promise<FeedRound | undefined>
  /** Whether the roll-up's sequencer is up, and has been long enough for fresh prices; true when none is watched. */
  isSequencerUp(nowMs: number): Promise<boolean>
}

const roundOutputs = [
  { name: 'roundId', type: 'uint80' },
  { name: 'answer', type: 'int256' },
  { name: 'startedAt', type: 'uint256' },
  { name: 'updatedAt', type: 'uint256' },
  { name: 'answeredInRound', type: 'uint80' },
] as const

/** Chainlink's AggregatorV3Interface. @see https://docs.chain.link/data-feeds/api-reference */
const feedAbi = [
  { type: 'function', name: 'decimals', stateMutability: 'view', inputs: [], outputs: [{ type: 'uint8' }] },
  { type: 'function', name: 'latestRoundData', stateMutability: 'view', inputs: [], outputs: roundOutputs },
  {
    type: 'function',
    name: 'getRoundData',
    stateMutability: 'view',
    inputs: [{ name: 'roundId', type: 'uint80' }],
    outputs: roundOutputs,
  },
] as const

/** Grace period for prices after a sequencer restarts. */
const sequencerGraceMs = 3_600_000

/** Reads a feed at one endpoint. */
export function createFeedReader(feed: PriceFeed, url: string, signal?: AbortSignal): FeedReader {
  const rpc = createRpc(url, signal)
  return {
    async getDecimals() {
      const data = encodeFunctionData({ abi: feedAbi, functionName: 'decimals' })
      return decodeAbiParameters([{ type: 'uint8' }], await callContract(rpc, feed.address, data))[0]
    },
    async getLatest() {
      const data = encodeFunctionData({ abi: feedAbi, functionName: 'latestRoundData' })
      return readRound(await callContract(rpc, feed.address, data))
    },
    async getRound(roundId) {
      const data = encodeFunctionData({ abi: feedAbi, functionName: 'getRoundData', args: [roundId] })
      let round: FeedRound
      try {
        round = readRound(await callContract(rpc, feed.address, data))
      } catch (error) {
        // Feeds revert for rounds that do not exist. Other refusals, such as a rate limit, say nothing about the round.
        if (error instanceof RpcRefusal && isRevert(error)) return undefined
        throw error
      }
      if (round.updatedAtMs === 0) return undefined
      if (round.roundId === roundId) return round
      throw new CairnError('UPSTREAM_FAILED', { message: 'A price feed returned another round than the requested one' })
    },
    async isSequencerUp(nowMs) {
      if (feed.sequencer === undefined) return true
      const data = encodeFunctionData({ abi: feedAbi, functionName: 'latestRoundData' })
      const answer = decodeAbiParameters(roundOutputs, await callContract(rpc, feed.sequencer, data))
      const [, status, startedAt] = answer
      return status === 0n && nowMs - Number(startedAt) * 1000 >= sequencerGraceMs
    },
  }
}

function isRevert({ code = 0, message }: RpcRefusal): boolean {
  return isExecutionError({ kind: 'error', code, message })
}

function callContract(rpc: Rpc, to: string, data: string): Promise<`0x${string}`> {
  return rpc.ask('eth_call', [{ to, data }, 'latest'], v.pipe(hexBytes, v.minLength(66)))
}

function readRound(bytes: `0x${string}`): FeedRound {
  const [roundId, answer, , updatedAt] = decodeAbiParameters(roundOutputs, bytes)
  return { roundId, price: answer, updatedAtMs: Number(updatedAt) * 1000 }
}
