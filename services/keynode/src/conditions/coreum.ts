import {
  CairnError,
  type CoreumCondition,
  conditionReason,
  conditionRule,
  invalidConditionField,
  isCoreumAddress,
} from '@cairn/protocol'
import { isJsonObject, type Json, type PlainJson, reasonOfChain } from '@cairn/service'
import { compare } from './compare.ts'
import { namesUser } from './placeholders.ts'
import { type ChainFamily, type ChainReader, type ReadContext, type Reading, unknown } from './reader.ts'

const keptMs = 2_000
/** Contracts choose their own page size: with 30 per page, up to 300 tokens are counted. */
const maxPages = 10
const latestPath = '/cosmos/base/tendermint/v1beta1/blocks/latest'
/** Contract types with balance queries. */
const contractTypes = { CW20: 'getFtsByAddress', CW721: 'getNftsByAddress' } as const

type Block = { height: string; timeSeconds: bigint; chainId: string }

function follow(value: Json | undefined, ...names: string[]): Json | undefined {
  let at = value
  for (const name of names) {
    if (!isJsonObject(at) || !Object.hasOwn(at, name)) return undefined
    at = at[name]
  }
  return at
}

function toAmount(value: Json | undefined): bigint | undefined {
  return typeof value === 'string' && /^\d{1,78}$/.test(value) ? BigInt(value) : undefined
}

function readBlock({ status, body }: { status: number; body: Json }): Block | undefined {
  const header = follow(body, 'block', 'header')
  const [height, time, chainId] = [follow(header, 'height'), follow(header, 'time'), follow(header, 'chain_id')]
  if (status !== 200 || typeof height !== 'string' || !/^\d{1,20}$/.test(height)) return undefined
  if (typeof time !== 'string' || typeof chainId !== 'string') return undefined
  const milliseconds = Date.parse(time)
  return Number.isNaN(milliseconds)
    ? undefined
    : { height, timeSeconds: BigInt(Math.floor(milliseconds / 1000)), chainId }
}

/** All conditions of one evaluation are read at one height; a block of this chain is final once it exists. */
function openCoreum({ chain, client, clock, signal, identity }: ReadContext): ChainReader<CoreumCondition> {
  let pinned: Promise<Block | undefined> | undefined
  const pin = () => {
    pinned ??= client.get(latestPath, { signal, keepMs: keptMs }).then(readBlock)
    return pinned
  }
  const isBehind = ({ timeSeconds }: Block): boolean =>
    chain.maxBlockAgeSeconds !== undefined &&
    Math.floor(clock.now() / 1000) - Number(timeSeconds) > chain.maxBlockAgeSeconds
  const ask = async (path: string, { height }: Block, ...names: string[]): Promise<Json | undefined> => {
    const headers = { 'x-cosmos-block-height': height }
    const { status, body } = await client.get(path, { signal, headers, keepMs: keptMs })
    return status === 200 ? follow(body, ...names) : undefined
  }
  const amount = (value: Json | undefined): Reading => {
    const number = toAmount(value)
    return number === undefined
      ? unknown(conditionReason('CHAIN_RESPONSE_INVALID'))
      : { kind: 'value', value: number, type: 'uint256' }
  }

  const queryContract = (contract: string | undefined, query: PlainJson, block: Block) => {
    // URL-safe alphabet: gateways treat a slash as the end of the query, encoded or not.
    const text = Buffer.from(JSON.stringify(query)).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
    const path = `/cosmwasm/wasm/v1/contract/${encodeURIComponent(contract ?? '')}/smart/${encodeURIComponent(text)}`
    return ask(path, block, 'data')
  }

  /** Counts page by page, because no query returns the number; stops once the condition is decided. */
  const countTokens = async (condition: CoreumCondition, owner: string, block: Block): Promise<Reading> => {
    const { comparator } = condition.returnValueTest
    const isMinimum = comparator === '>' || comparator === '>='
    let count = 0n
    let last: string | undefined
    for (let page = 0; page < maxPages; page++) {
      const query = { tokens: { owner, limit: 100, ...(last === undefined ? {} : { start_after: last }) } }
      const tokens = follow(await queryContract(condition.contractAddress, query, block), 'tokens')
      if (!Array.isArray(tokens)) return unknown(conditionReason('CHAIN_RESPONSE_INVALID'))
      count += BigInt(tokens.length)
      const isDecided = isMinimum && compare(count, 'uint256', condition.returnValueTest) === true
      if (tokens.length === 0 || isDecided) return { kind: 'value', value: count, type: 'uint256' }
      const end: Json | undefined = tokens.at(-1)
      if (typeof end !== 'string' || end === last) return unknown(conditionReason('CHAIN_RESPONSE_INVALID'))
      last = end
    }
    return unknown(conditionReason('CONTRACT_TOO_MANY_TOKENS'))
  }

  const readContract = async (condition: CoreumCondition, address: string, block: Block): Promise<Reading> => {
    if (condition.method === 'getNftsByAddress') return countTokens(condition, address, block)
    return amount(follow(await queryContract(condition.contractAddress, { balance: { address } }, block), 'balance'))
  }

  return {
    async read(condition, parameters) {
      try {
        const block = await pin()
        if (block === undefined) return unknown(conditionReason('CHAIN_WITHOUT_NEWEST_BLOCK'))
        if (isBehind(block)) return unknown(conditionReason('CHAIN_BEHIND'))
        if (condition.method === 'getLastBlockTime') return { kind: 'value', value: block.timeSeconds, type: 'uint256' }
        const address = parameters[0] ?? identity
        if (typeof address !== 'string' || !isCoreumAddress(address))
          return { kind: 'unresolved', ...conditionReason('ADDRESS_OF_ANOTHER_CHAIN') }
        const owner = encodeURIComponent(address.toLowerCase())
        if (condition.standardContractType !== '') return await readContract(condition, address.toLowerCase(), block)
        if (condition.method === 'getFtsByAddress') {
          const denom = encodeURIComponent(condition.denom)
          return amount(
            await ask(`/cosmos/bank/v1beta1/balances/${owner}/by_denom?denom=${denom}`, block, 'balance', 'amount'),
          )
        }
        const classId = encodeURIComponent(condition.classid)
        return amount(await ask(`/cosmos/nft/v1beta1/balance/${owner}/${classId}`, block, 'amount'))
      } catch (error) {
        if (CairnError.is(error, 'UPSTREAM_FAILED')) return unknown(reasonOfChain(error))
        throw error
      }
    },
  }
}

/**
 * Conditions on Coreum: coins and tokens by denomination, NFTs of a class, CW20 and CW721 contracts, and the time of
 * the newest block. Written from the chain's published API description; not verified against a live node.
 */
export const coreumFamily: ChainFamily<CoreumCondition> = {
  async verify(chain, endpoint) {
    const block = readBlock(await endpoint.get(latestPath))
    if (block === undefined) return conditionReason('ENDPOINT_OF_ANOTHER_TYPE')
    return chain.chainId === undefined || chain.chainId === block.chainId
      ? undefined
      : conditionReason('ENDPOINT_OF_ANOTHER_CHAIN')
  },
  open: openCoreum,
  typeOf: () => 'uint256',
  costOf: (condition) => (condition.method === 'getLastBlockTime' ? 0 : condition.standardContractType === '' ? 1 : 2),
  isIdentity: isCoreumAddress,
  usesIdentity: (condition) =>
    condition.method !== 'getLastBlockTime' &&
    (condition.parameters === undefined || condition.parameters.length === 0 || namesUser(condition.parameters)),
  async validate(condition) {
    if (condition.standardContractType !== '') {
      const type = condition.standardContractType.toUpperCase()
      if (type !== 'CW20' && type !== 'CW721')
        throw invalidConditionField(
          condition,
          'standardContractType',
          conditionRule('ANOTHER_VALUE_NOT_EMPTY', { names: 'CW20, CW721' }),
        )
      if (contractTypes[type] !== condition.method)
        throw invalidConditionField(
          condition,
          'method',
          conditionRule('METHOD_NOT_OF_CONTRACT', { method: contractTypes[type], type }),
        )
      if (!isCoreumAddress(condition.contractAddress))
        throw invalidConditionField(condition, 'contractAddress', conditionRule('NOT_A_COREUM_ADDRESS'))
    }
    const [address] = condition.parameters ?? []
    const isOpen = address === undefined || (typeof address === 'string' && address.startsWith(':'))
    if (condition.method !== 'getLastBlockTime' && !isOpen && !isCoreumAddress(address))
      throw invalidConditionField(condition, 'parameters.0', conditionRule('NOT_A_COREUM_ADDRESS'))
  },
}
