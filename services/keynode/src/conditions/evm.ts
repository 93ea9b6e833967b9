import {
  CairnError,
  conditionReason,
  conditionRule,
  type EvmCondition,
  evmSignature,
  fieldRule,
  invalidConditionField,
  isEvmAddress,
  type Reason,
  userAddressPlaceholder,
} from '@cairn/protocol'
import { isExecutionError, isJsonObject, type Json, type RpcAnswer, reasonOfChain } from '@cairn/service'
import { isHex } from 'viem/utils'
import { decodeOutput, encodeCall, parseArgument } from './abi.ts'
import { hasPlaceholder, namesUser } from './placeholders.ts'
import { type ChainFamily, type ChainReader, type ReadContext, type Reading, unknown, unknownAnswer } from './reader.ts'

const maxGas = '0xf4240'
/** How long the newest block is cached; reads at a block hash never change. */
const headKeptMs = 2_000
const readKeptMs = 12_000

type Block = { number: bigint; hash: string; timestampSeconds: bigint }

function parseQuantity(value: Json | undefined): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value) ? BigInt(value) : undefined
}

function parseBlock(answer: RpcAnswer): Block | undefined {
  if (answer.kind === 'error' || !isJsonObject(answer.result)) return undefined
  const { number, hash, timestamp } = answer.result
  const [height, seconds] = [parseQuantity(number), parseQuantity(timestamp)]
  if (height === undefined || seconds === undefined || typeof hash !== 'string') return undefined
  return /^0x[0-9a-fA-F]{64}$/.test(hash) ? { number: height, hash, timestampSeconds: seconds } : undefined
}

/**
 * Returns the block at which all conditions of one evaluation are read: the newest one minus the confirmations, by
 * hash.
 */
async function pinBlock({ chain, client, signal, clock }: ReadContext): Promise<Block | Reason> {
  const ask = (tag: string, keepMs: number) => client.call('eth_getBlockByNumber', [tag, false], { signal, keepMs })
  const newest = parseBlock(await ask('latest', headKeptMs))
  if (newest === undefined) return conditionReason('CHAIN_WITHOUT_NEWEST_BLOCK')
  const ageSeconds = Math.floor(clock.now() / 1000) - Number(newest.timestampSeconds)
  if (chain.maxBlockAgeSeconds !== undefined && ageSeconds > chain.maxBlockAgeSeconds) {
    return conditionReason('CHAIN_BEHIND')
  }
  if (chain.confirmations === 0) return newest
  const wanted = newest.number - BigInt(chain.confirmations)
  if (wanted < 0n) return conditionReason('CHAIN_TOO_SHORT')
  const block = parseBlock(await ask(`0x${wanted.toString(16)}`, headKeptMs))
  return block?.number === wanted ? block : conditionReason('CHAIN_WITHOUT_BLOCK')
}

/** Reads at one block of one chain; all chain errors become readings. */
function openEvm(context: ReadContext): ChainReader<EvmCondition> {
  const { client, signal } = context
  let pinned: Promise<Block | Reason> | undefined
  const pin = () => {
    pinned ??= pinBlock(context)
    return pinned
  }

  const readBalance = async (address: unknown, at: { blockHash: string }): Promise<Reading> => {
    if (!isEvmAddress(address)) return { kind: 'unresolved', ...conditionReason('ADDRESS_OF_ANOTHER_CHAIN') }
    const answer = await client.call('eth_getBalance', [address.toLowerCase(), { ...at, requireCanonical: true }], {
      signal,
      keepMs: readKeptMs,
    })
    const value = answer.kind === 'result' ? parseQuantity(answer.result) : undefined
    return value === undefined ? unknownAnswer(answer) : { kind: 'value', value, type: 'uint256' }
  }

  const readCall = async (to: string, data: string, type: string, at: { blockHash: string }): Promise<Reading> => {
    const transaction = { to: to.toLowerCase(), data, gas: maxGas }
    // Sent as is. Off-chain look-ups that a contract requests (EIP-3668) are not followed and count as reverts.
    const answer = await client.call('eth_call', [transaction, { ...at, requireCanonical: true }], {
      signal,
      keepMs: readKeptMs,
    })
    if (isExecutionError(answer)) return { kind: 'reverted' }
    if (answer.kind === 'error' || !isHex(answer.result)) return unknownAnswer(answer)
    if (answer.result === '0x') return unknown(conditionReason('CONTRACT_WITHOUT_ANSWER'))
    const value = decodeOutput(type, answer.result)
    return value === undefined ? unknown(conditionReason('CONTRACT_OUTPUT', { type })) : { kind: 'value', value, type }
  }

  return {
    async read(condition, parameters) {
      try {
        const block = await pin()
        if ('reason' in block) return unknown(block)
        const at = { blockHash: block.hash }
        if (condition.standardContractType === '') {
          if (condition.method === 'getBlockNumber') return { kind: 'value', value: block.number, type: 'uint256' }
          return await readBalance(parameters[0] ?? context.identity, at)
        }
        const signature = evmSignature(condition)
        const call = encodeCall(condition.method, signature, parameters)
        if ('misfit' in call) {
          return {
            kind: 'unresolved',
            ...conditionReason('PARAMETER_MISFIT', {
              position: call.misfit + 1,
              type: signature.inputs[call.misfit] ?? '',
            }),
          }
        }
        return await readCall(condition.contractAddress, call.data, signature.output, at)
      } catch (error) {
        if (CairnError.is(error, 'UPSTREAM_FAILED')) return unknown(reasonOfChain(error))
        throw error
      }
    },
  }
}

function checkParameters(condition: EvmCondition): void {
  const { inputs } = evmSignature(condition)
  const given = condition.parameters ?? []
  if (condition.standardContractType === '' && condition.method === 'getBalance' && given.length > 1) {
    throw invalidConditionField(condition, 'parameters', conditionRule('PARAMETER_NOT_ONE_ADDRESS'))
  }
  for (const [at, type] of inputs.entries()) {
    const parameter = given[at] ?? userAddressPlaceholder
    if (Array.isArray(parameter) && type.endsWith('[]')) {
      for (const item of parameter) {
        if (!hasPlaceholder(item) && parseArgument([item], type) === undefined) {
          throw invalidConditionField(condition, `parameters.${at}`, fieldRule('ANOTHER_VALUE', { expected: type }))
        }
      }
    } else if (!hasPlaceholder(parameter) && parseArgument(parameter, type) === undefined) {
      throw invalidConditionField(condition, `parameters.${at}`, fieldRule('ANOTHER_VALUE', { expected: type }))
    }
  }
}

/**
 * Conditions on EVM chains: balances, the height, and one-output view methods.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1898 for how blocks are identified
 */
export const evmFamily: ChainFamily<EvmCondition> = {
  async verify(chain, endpoint) {
    const answer = await endpoint.call('eth_chainId', [])
    const id = answer.kind === 'result' ? parseQuantity(answer.result) : undefined
    return id?.toString() === chain.chainId ? undefined : conditionReason('ENDPOINT_OF_ANOTHER_CHAIN')
  },
  open: openEvm,
  typeOf: (condition) => evmSignature(condition).output,
  costOf: (condition) => (condition.standardContractType !== '' ? 2 : condition.method === 'getBalance' ? 1 : 0),
  isIdentity: isEvmAddress,
  usesIdentity: (condition) =>
    condition.standardContractType === '' &&
    condition.method === 'getBalance' &&
    (condition.parameters === undefined || condition.parameters.length === 0 || namesUser(condition.parameters)),
  async validate(condition, { client, signal }) {
    checkParameters(condition)
    if (condition.standardContractType === '') return
    let answer: RpcAnswer
    try {
      answer = await client.call('eth_getCode', [condition.contractAddress.toLowerCase(), 'latest'], { signal })
    } catch (error) {
      throw new CairnError('CONDITION_UNKNOWN', { cause: error })
    }
    if (answer.kind === 'error' || typeof answer.result !== 'string') throw new CairnError('CONDITION_UNKNOWN')
    if (/^0x0*$/.test(answer.result))
      throw invalidConditionField(
        condition,
        'contractAddress',
        conditionRule('CONTRACT_MISSING', { chain: condition.chain }),
      )
  },
}
