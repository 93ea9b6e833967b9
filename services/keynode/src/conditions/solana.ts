import {
  CairnError,
  conditionReason,
  conditionRule,
  invalidConditionField,
  isSolanaAddress,
  type SolanaCondition,
} from '@cairn/protocol'
import { isJsonObject, type Json, type RpcAnswer, reasonOfChain } from '@cairn/service'
import { hasPlaceholder, namesUser } from './placeholders.ts'
import {
  type ChainFamily,
  type ChainReader,
  type ReadContext,
  type Reading,
  unknown,
  unknownAnswer,
  type ValueType,
} from './reader.ts'
import { isFieldType, isTokenAccount, readField, readTokenAmount } from './solana-account.ts'

/** Only finalized state: a key that was handed out cannot be taken back. */
const commitment = 'finalized'
const keptMs = 2_000
/**
 * How many slots an answer may be older than the one whose age was checked, about a minute: an endpoint may be several
 * servers that are not equally far.
 */
const maxBehindSlots = 150
/** Paths into an answer's accounts. */
const accountPath = /^(?:pubkey|account(?:\.[A-Za-z0-9_-]+)+)$/

/** Parses a JSON integer: lamports exceed 2^53. */
function toInteger(value: Json | undefined): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  return typeof value === 'string' && /^-?\d{1,40}$/.test(value) ? BigInt(value) : undefined
}

function follow(value: Json | undefined, path: string): Json | undefined {
  let at = value
  for (const name of path.split('.')) {
    // Lists are objects, too: `0` and `length` are not names of an account.
    if (!isJsonObject(at) || Array.isArray(at) || !Object.hasOwn(at, name)) return undefined
    at = at[name]
  }
  return at
}

/** Returns the accounts in an answer to getTokenAccountsByOwner. */
function accountsOf(answer: RpcAnswer): readonly Json[] | undefined {
  if (answer.kind === 'error' || !isJsonObject(answer.result)) return undefined
  const { value } = answer.result
  return Array.isArray(value) ? value : undefined
}

function dataOf(account: Json): Uint8Array | undefined {
  const data = follow(account, 'account.data')
  if (!Array.isArray(data) || typeof data[0] !== 'string' || data[1] !== 'base64') return undefined
  return new Uint8Array(Buffer.from(data[0], 'base64'))
}

function isAmountPath(selector: string): boolean {
  return /(?:^|\.)(?:amount|decimals|lamports|rentEpoch|space)$/.test(selector)
}

/** The newest final block. */
type Newest = { slot: bigint; time: bigint }

/** How recent the state of an answer must be. */
type Recency = { commitment: typeof commitment; minContextSlot?: number }

function openSolana(context: ReadContext): ChainReader<SolanaCondition> {
  const { chain, client, clock, signal } = context
  const ask = (method: string, params: Parameters<typeof client.call>[1]) =>
    client.call(method, params, { signal, keepMs: keptMs })

  const readNumber = async (method: string, params: Parameters<typeof client.call>[1]): Promise<Reading> => {
    const answer = await ask(method, params)
    if (answer.kind === 'error') return unknownAnswer(answer)
    const { result } = answer
    const value = toInteger(isJsonObject(result) && !Array.isArray(result) ? result['value'] : result)
    return value === undefined ? unknownAnswer(answer) : { kind: 'value', value, type: 'uint256' }
  }

  /** Returns the time of the newest final block, read by its slot, because no single call returns it. */
  const readNewest = async (): Promise<Newest | { failure: Reading }> => {
    const slot = await readNumber('getSlot', [{ commitment }])
    if (slot.kind !== 'value' || typeof slot.value !== 'bigint') return { failure: slot }
    const time = await readNumber('getBlockTime', [Number(slot.value)])
    if (time.kind !== 'value' || typeof time.value !== 'bigint') return { failure: time }
    return { slot: slot.value, time: time.value }
  }

  /**
   * Returns how recent all answers of this evaluation must be: another endpoint may give the next one. Fails if the
   * newest final block is older than allowed for this chain.
   */
  const pin = async (): Promise<{ recency: Recency; newest?: Newest } | { failure: Reading }> => {
    if (chain.maxBlockAgeSeconds === undefined) return { recency: { commitment } }
    const newest = await readNewest()
    if ('failure' in newest) return newest
    const ageSeconds = BigInt(Math.floor(clock.now() / 1000)) - newest.time
    if (ageSeconds > BigInt(chain.maxBlockAgeSeconds)) return { failure: unknown(conditionReason('CHAIN_BEHIND')) }
    const minContextSlot = Math.max(0, Number(newest.slot) - maxBehindSlots)
    return { recency: { commitment, minContextSlot }, newest }
  }
  let pinned: ReturnType<typeof pin> | undefined

  const readTokens = async (
    condition: SolanaCondition & { standardContractType: 'spl-token' },
    owner: string,
    recency: Recency,
  ) => {
    const { offset = 0 } = condition.pdaInterface
    const selector = selectorOf(condition)
    const isPath = selector !== '' && !isFieldType(selector)
    const encoding = isPath ? 'jsonParsed' : 'base64'
    const answer = await ask('getTokenAccountsByOwner', [
      owner,
      { mint: condition.contractAddress },
      { encoding, ...recency },
    ])
    const accounts = accountsOf(answer)
    if (accounts === undefined) return unknownAnswer(answer)
    if (isPath) return readPath(accounts, offset, selector)
    const held = accounts.map(dataOf)
    const areValid = held.every((data) => data !== undefined && isTokenAccount(data, condition.contractAddress, owner))
    return areValid ? readData(held, offset, selector) : unknown(conditionReason('ACCOUNT_INVALID'))
  }

  return {
    async read(condition, parameters) {
      try {
        pinned ??= pin()
        const found = await pinned
        if ('failure' in found) return found.failure
        const { recency, newest } = found
        if (condition.standardContractType === '' && condition.method === 'getBlockHeight')
          return await readNumber('getBlockHeight', [recency])
        if (condition.standardContractType === '' && condition.method === 'getLastBlockTime') {
          const block = newest ?? (await readNewest())
          return 'failure' in block ? block.failure : { kind: 'value', value: block.time, type: 'uint256' }
        }
        const address = parameters[0] ?? context.identity
        if (!isSolanaAddress(address)) return { kind: 'unresolved', ...conditionReason('ADDRESS_OF_ANOTHER_CHAIN') }
        if (condition.standardContractType === '') return await readNumber('getBalance', [address, recency])
        return await readTokens(condition, address, recency)
      } catch (error) {
        if (CairnError.is(error, 'UPSTREAM_FAILED')) return unknown(reasonOfChain(error))
        throw error
      }
    },
  }
}

/** Reads a path in one account of the list, selected by the offset. A missing account is a definite no. */
function readPath(accounts: readonly Json[], index: number, path: string): Reading {
  const account = accounts[index]
  if (account === undefined) return { kind: 'reverted' }
  const value = follow(account, path)
  if (isAmountPath(path)) {
    const number = toInteger(value)
    return number === undefined
      ? unknown(conditionReason('PATH_NOT_A_NUMBER'))
      : { kind: 'value', value: number, type: 'uint256' }
  }
  if (typeof value !== 'string' && typeof value !== 'boolean') return unknown(conditionReason('PATH_NOT_A_STRING'))
  return { kind: 'value', value: String(value), type: 'text' }
}

/**
 * Without a selector, returns the amount over all initialised accounts, because a holder may have several. With a
 * type, returns the field at the byte offset: numbers are added up, other types are defined only for a single
 * account, and without any account the field does not exist, which is a definite no.
 */
function readData(accounts: readonly (Uint8Array | undefined)[], offset: number, selector: string): Reading {
  let sum = 0n
  let single: boolean | string | undefined
  let count = 0
  for (const data of accounts) {
    const amount = data === undefined ? undefined : readTokenAmount(data)
    if (data === undefined || amount === undefined) continue
    count++
    const value = selector === '' ? amount : readField(data, offset, selector)
    if (value === undefined) return unknown(conditionReason('ACCOUNT_FIELD_MISSING'))
    if (typeof value === 'bigint') sum += value
    else single = value
  }
  const type = typeOfSelector(selector)
  if (count === 0 && selector !== '') return { kind: 'reverted' }
  if (type === 'uint256' || type === 'int256') return { kind: 'value', value: sum, type }
  if (single === undefined) return { kind: 'reverted' }
  return count === 1 ? { kind: 'value', value: single, type } : unknown(conditionReason('ACCOUNTS_SEVERAL'))
}

/** Returns what a condition selects in the accounts; empty for the tokens, which the published documentation calls `amount`. */
function selectorOf({ pdaInterface: { selector = '' } }: SolanaCondition): string {
  return selector === 'amount' ? '' : selector
}

function typeOfSelector(selector: string): ValueType {
  if (selector === 'i64') return 'int256'
  if (selector === 'bool') return 'bool'
  if (selector === '' || /^u(?:8|16|32|64|128)$/.test(selector) || isAmountPath(selector)) return 'uint256'
  return 'text'
}

/**
 * Conditions on Solana: balances, height and time of the newest final block, and tokens of a mint.
 *
 * @see https://solana.com/docs/rpc
 */
export const solanaFamily: ChainFamily<SolanaCondition> = {
  async verify(chain, endpoint) {
    if (chain.chainId === undefined) return undefined
    const answer = await endpoint.call('getGenesisHash', [])
    const isSame = answer.kind === 'result' && answer.result === chain.chainId
    return isSame ? undefined : conditionReason('ENDPOINT_OF_ANOTHER_CHAIN')
  },
  open: openSolana,
  typeOf: (condition) => (condition.standardContractType === '' ? 'uint256' : typeOfSelector(selectorOf(condition))),
  costOf: (condition) => (condition.standardContractType === '' ? (condition.method === 'getBalance' ? 1 : 0) : 3),
  isIdentity: isSolanaAddress,
  usesIdentity: (condition) =>
    condition.method !== 'getBlockHeight' &&
    condition.method !== 'getLastBlockTime' &&
    (condition.parameters === undefined || condition.parameters.length === 0 || namesUser(condition.parameters)),
  async validate(condition) {
    const selector = selectorOf(condition)
    const isReadable = selector === '' || isFieldType(selector) || accountPath.test(selector)
    if (condition.standardContractType !== '' && !isReadable) {
      throw invalidConditionField(condition, 'pdaInterface.selector', conditionRule('SELECTOR_UNREADABLE'))
    }
    const [address] = condition.parameters ?? []
    if (address === undefined || hasPlaceholder(address) || isSolanaAddress(address)) return
    if (condition.method === 'getBlockHeight' || condition.method === 'getLastBlockTime') return
    throw invalidConditionField(condition, 'parameters.0', conditionRule('PARAMETER_NOT_A_SOLANA_ADDRESS'))
  },
}
