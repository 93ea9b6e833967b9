import { withoutTrailing } from '@cairn/protocol'
import { base58btc } from 'multiformats/bases/base58'
import type { Svm, SvmAccount } from './litesvm.ts'
import { isTransaction, maxTransactionBytes } from './solana-transaction.ts'

/** An error of the JSON-RPC interface. */
export class RpcError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const invalidParams = (message: string) => new RpcError(-32602, message)
const transactionFailed = -32002

/** Writes a method's answer; bigints become JSON numbers of any size. */
type Method = (params: readonly unknown[]) => unknown

/** Methods of a Solana endpoint over an engine. */
export type SolanaMethods = {
  /** Whether the method may change the state. */
  isWrite(method: string): boolean
  /** @throws RpcError */
  call(method: string, params: readonly unknown[]): unknown
}

const tokenPrograms = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb']
const tokenAccountBytes = 165
const tokenStates = ['uninitialized', 'initialized', 'frozen']
const mintDecimalsAt = 44
/** No blocks are produced: slots count time from the first block of Solana. */
const slotMs = 400
const firstSlotAt = Date.UTC(2020, 2, 16, 14, 29)
const maxLamports = 2n ** 53n

const writes = new Set(['requestAirdrop', 'sendTransaction'])

/**
 * The calls that conditions and wallets use. Every answer is final at once.
 * @param now milliseconds since 1970
 * @see https://solana.com/docs/rpc
 */
export function createSolanaMethods(
  svm: Svm,
  { genesisHash, now }: { genesisHash: string; now: () => number },
): SolanaMethods {
  const slot = () => Math.floor((now() - firstSlotAt) / slotMs)
  const inContext = (value: unknown) => ({ context: { slot: slot() }, value })
  /** Sets the time that programs read. */
  const setTime = () => {
    const at = BigInt(slot())
    svm.warpToSlot(at)
    const clock = svm.getClock()
    clock.unixTimestamp = BigInt(Math.floor(now() / 1000))
    svm.setClock(clock)
  }
  const finish = (done: ReturnType<Svm['sendVersionedTransaction']> | null): string => {
    if (done === null) throw new RpcError(transactionFailed, 'Transaction failed')
    if ('err' in done) throw new RpcError(transactionFailed, `Transaction failed: ${done.toString().slice(0, 1000)}`)
    return base58btc.baseEncode(done.signature())
  }
  const tokenAccounts = (owner: string, filter: TokenFilter) =>
    tokenPrograms
      .filter((program) => filter.programId === undefined || filter.programId === program)
      .flatMap((program) => svm.getProgramAccounts(readAddress(program)))
      .map((entry) => ({ pubkey: base58btc.baseEncode(entry.address), account: entry.account() }))
      .filter(({ account }) => {
        const token = parseToken(account.data())
        return token?.owner === owner && (filter.mint === undefined || filter.mint === token.mint)
      })
      // The engine's own order changes from call to call, and paths of conditions refer to an account by position.
      .sort((one, other) => (one.pubkey < other.pubkey ? -1 : 1))

  const decimalsOf = (mint: string): number => svm.getAccount(readAddress(mint))?.data()[mintDecimalsAt] ?? 0
  const describeAccount = (account: SvmAccount, encoding: string) => ({
    lamports: account.lamports(),
    owner: base58btc.baseEncode(account.owner()),
    executable: account.executable(),
    rentEpoch: 0,
    space: account.data().length,
    data: encodeData(account, encoding),
  })
  const encodeData = (account: SvmAccount, encoding: string): unknown => {
    const data = account.data()
    const token = encoding === 'jsonParsed' ? parseToken(data) : undefined
    if (token === undefined) return [Buffer.from(data).toString('base64'), 'base64']
    const { mint, owner, state, amount } = token
    const info = { mint, owner, state, isNative: false, tokenAmount: describeAmount(amount, decimalsOf(mint)) }
    return { program: 'spl-token', parsed: { type: 'account', info }, space: data.length }
  }

  const methods: Record<string, Method> = {
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': 'litesvm' }),
    getGenesisHash: () => genesisHash,
    getSlot: slot,
    getBlockHeight: slot,
    getBlockTime: ([at]) => {
      if (typeof at !== 'number' || !Number.isSafeInteger(at) || at < 0)
        throw invalidParams('the slot must be a number')
      return at > slot() ? null : Math.floor((firstSlotAt + at * slotMs) / 1000)
    },
    getLatestBlockhash: () => inContext({ blockhash: svm.latestBlockhash(), lastValidBlockHeight: slot() + 150 }),
    getMinimumBalanceForRentExemption: ([bytes]) => {
      if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0 || bytes > 10 * 2 ** 20)
        throw invalidParams('the length must be a number up to 10 MiB')
      return svm.minimumBalanceForRentExemption(BigInt(bytes))
    },
    getBalance: ([address]) => inContext(svm.getBalance(readAddress(address)) ?? 0n),
    getAccountInfo: ([address, config]) => {
      const account = svm.getAccount(readAddress(address))
      return inContext(account === null ? null : describeAccount(account, readEncoding(config)))
    },
    getTokenAccountBalance: ([address]) => {
      const token = parseToken(svm.getAccount(readAddress(address))?.data() ?? new Uint8Array())
      if (token === undefined) throw invalidParams('not a token account')
      return inContext(describeAmount(token.amount, decimalsOf(token.mint)))
    },
    getTokenAccountsByOwner: ([owner, filter, config]) => {
      readAddress(owner)
      const encoding = readEncoding(config)
      const found = tokenAccounts(String(owner), readTokenFilter(filter))
      return inContext(found.map(({ pubkey, account }) => ({ pubkey, account: describeAccount(account, encoding) })))
    },
    getSignatureStatuses: ([signatures]) => {
      if (!Array.isArray(signatures) || signatures.length > 256) throw invalidParams('up to 256 signatures')
      return inContext(
        signatures.map((signature) => {
          const done = svm.getTransaction(readBase58(signature, 64, 'a signature'))
          return done === null || 'err' in done
            ? null
            : { slot: slot(), confirmations: null, err: null, status: { Ok: null }, confirmationStatus: 'finalized' }
        }),
      )
    },
    requestAirdrop: ([address, lamports]) => {
      const amount = typeof lamports === 'number' && Number.isSafeInteger(lamports) ? BigInt(lamports) : 0n
      if (amount < 1n || amount > maxLamports) throw invalidParams('the lamports must be a number from 1')
      setTime()
      return finish(svm.airdrop(readAddress(address), amount))
    },
    sendTransaction: ([text, config]) => {
      const bytes = readTransaction(text, config)
      setTime()
      return finish(svm.sendVersionedTransaction(bytes))
    },
  }
  return {
    isWrite: (method) => writes.has(method),
    call(method, params) {
      const answer = Object.hasOwn(methods, method) ? methods[method] : undefined
      if (answer === undefined) throw new RpcError(-32601, 'Method not found')
      return answer(params)
    },
  }
}

type TokenFilter = { mint?: string; programId?: string }

function readTokenFilter(value: unknown): TokenFilter {
  for (const name of ['mint', 'programId'] as const) {
    const address = readField(value, name)
    if (typeof address !== 'string') continue
    readAddress(address)
    return { [name]: address }
  }
  throw invalidParams('a mint or a programId is required')
}

function readEncoding(config: unknown): string {
  const encoding = readField(config, 'encoding') ?? 'base64'
  if (encoding !== 'base64' && encoding !== 'jsonParsed')
    throw invalidParams('the encoding must be base64 or jsonParsed')
  return encoding
}

function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

function readTransaction(text: unknown, config: unknown): Uint8Array {
  if (typeof text !== 'string' || text.length > 2 * maxTransactionBytes)
    throw invalidParams('the transaction must be text')
  let bytes: Uint8Array
  try {
    bytes = readField(config, 'encoding') === 'base64' ? Buffer.from(text, 'base64') : base58btc.baseDecode(text)
  } catch {
    throw invalidParams('the transaction must be in base58, or in base64 with this encoding')
  }
  if (!isTransaction(bytes)) throw invalidParams('the bytes are not a transaction')
  return bytes
}

function readAddress(value: unknown): Uint8Array {
  return readBase58(value, 32, 'an address')
}

function readBase58(value: unknown, bytes: number, what: string): Uint8Array {
  if (typeof value === 'string' && value.length <= 2 * bytes) {
    try {
      const decoded = base58btc.baseDecode(value)
      if (decoded.length === bytes) return decoded
    } catch {
      // Refused below.
    }
  }
  throw invalidParams(`${what} of ${bytes} bytes in base58 is required`)
}

/** Reads a token account in the layout of the SPL programs; undefined for other accounts, such as mints. */
function parseToken(data: Uint8Array) {
  const state = tokenStates[data[108] ?? 0]
  if (data.length < tokenAccountBytes || state === undefined || state === 'uninitialized') return undefined
  const key = (at: number) => base58btc.baseEncode(data.subarray(at, at + 32))
  return { mint: key(0), owner: key(32), amount: Buffer.from(data).readBigUInt64LE(64), state }
}

function describeAmount(amount: bigint, decimals: number) {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = withoutTrailing(digits.slice(digits.length - decimals), '0')
  const uiAmountString = fraction === '' ? whole : `${whole}.${fraction}`
  return { amount: String(amount), decimals, uiAmount: Number(uiAmountString), uiAmountString }
}
