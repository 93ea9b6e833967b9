import { paymentsAbi } from '@cairn/contracts'
import { CairnError, type ChainProfile, formatUnits, type TokenProfile } from '@cairn/protocol'
import {
  type Account,
  createClient,
  custom,
  defineChain,
  encodeFunctionData,
  getAddress,
  type Hash,
  type Hex,
  http,
  parseAbi,
} from 'viem'
// Single actions: a complete viem client would add every action to the bundle of the payment page.
import { getBalance, getCapabilities, readContract, sendCalls, sendTransaction, writeContract } from 'viem/actions'
import { noPrivateKey } from '../signer/sign-with-key.ts'
import { throwIfAborted } from '../throw-if-aborted.ts'
import { type ChainClient, connectWallet } from './connect-wallet.ts'
import { fetchUntil } from './fetch-until.ts'
import { describePayError, isRefusal, isUpgradeRejected, type SentPurpose, unknownOutcome } from './pay-errors.ts'
import type { PayEvent, PayOptions, PaySigner } from './pay-options.ts'
import { noteSigned } from './sign-noted.ts'
import { waitForBatch, waitUntilMined } from './wait-until-mined.ts'

export type { PayEvent, PaySigner } from './pay-options.ts'

/** The amount: units of a token, or of the native coin of the chain if no token is named. */
type Payment = { token?: TokenProfile; units: bigint; beneficiary?: Hex }

/** A wallet on one chain. */
export type ChainWallet = {
  readonly address: string
  /**
   * Returns the first token that the contract accepts and the wallet has enough of.
   * @throws CairnError INSUFFICIENT_FUNDS, TOKEN_NOT_SUPPORTED
   */
  findToken(tokens: readonly TokenProfile[], units: bigint): Promise<TokenProfile>
  /** Returns the transaction once it is in a block. */
  pay(payment: Payment): Promise<string>
}

type Amount = Omit<Payment, 'token'>

type PayableChain = ChainProfile & { paymentContract: string }

const tokenAbi = parseAbi([
  'function balanceOf(address holder) view returns (uint256)',
  'function allowance(address holder, address spender) view returns (uint256)',
  'function approve(address spender, uint256 value)',
])

/**
 * Opens a wallet on a chain; asks a browser wallet to switch to it.
 * @throws CairnError INVALID_PRIVATE_KEY, PAYMENT_REJECTED, UNSUPPORTED_NETWORK
 */
export async function openChainWallet(
  profile: PayableChain,
  signer: PaySigner,
  { onEvent = () => undefined, signal }: PayOptions,
): Promise<ChainWallet> {
  if (typeof signer !== 'object' || signer === null) throw noPrivateKey()
  const chain = defineChain({
    id: profile.chainId,
    name: profile.name,
    nativeCurrency: { name: profile.symbol, symbol: profile.symbol, decimals: profile.nativeDecimals },
    rpcUrls: { default: { http: [profile.rpcUrl] } },
  })
  try {
    const isLocal = 'privateKey' in signer
    const endpoint = http(profile.rpcUrl, { fetchFn: fetchUntil(signal) })
    const { wallet, account: own } = await connectWallet(chain, signer, endpoint)
    const noting = noteSigned(own)
    const account = noting?.account ?? own
    const transport = isLocal ? endpoint : custom(wallet)
    const reader = createClient({ chain, ccipRead: false, transport, pollingInterval: 500 })
    const canAsk = !('privateKey' in signer) && account.type === 'json-rpc'
    // A wallet reports its own errors, whether or not the caller still waits.
    const stop = isLocal ? signal : undefined
    const parts: Parts = { profile, wallet, account, lastSigned: noting?.last, reader, onEvent, signal, canAsk }
    return {
      address: account.address,
      findToken: (tokens, units) => described(() => findToken(parts, tokens, units), stop),
      pay: ({ token, ...payment }) =>
        described(() => (token === undefined ? payNative(parts, payment) : payToken(parts, token, payment)), stop),
    }
  } catch (error) {
    throw describePayError(error)
  }
}

/** Maps any error of a chain to a CairnError: ABORTED if the signal ended its requests and nothing was sent. */
async function described<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!CairnError.is(error)) throwIfAborted(signal)
    throw describePayError(error)
  }
}

type Parts = {
  profile: PayableChain
  wallet: ChainClient
  account: Account
  /** The last transaction that the account signed; undefined if the wallet signs and sends in one step. */
  lastSigned: (() => Hash | undefined) | undefined
  reader: ChainClient
  onEvent: (event: PayEvent) => void
  signal: AbortSignal | undefined
  /** Whether a wallet that may support batches is behind it. */
  canAsk: boolean
}

async function payNative(parts: Parts, { units, beneficiary }: Amount): Promise<string> {
  const { profile, wallet, account, reader, onEvent } = parts
  const to = getAddress(profile.paymentContract)
  const balance = await getBalance(reader, { address: account.address })
  if (balance < units) throw tooLittle({ symbol: profile.symbol, decimals: profile.nativeDecimals }, balance, units)
  onEvent({ step: 'paying' })
  const common = { account, chain: wallet.chain }
  const hash = await send(parts, 'pay', () =>
    beneficiary === undefined
      ? sendTransaction(wallet, { ...common, to, value: units })
      : writeContract(wallet, {
          ...common,
          address: to,
          abi: paymentsAbi,
          functionName: 'payFor',
          args: [beneficiary],
          value: units,
        }),
  )
  return followPayment(parts, hash)
}

async function findToken(
  { profile, account, reader }: Parts,
  tokens: readonly TokenProfile[],
  units: bigint,
): Promise<TokenProfile> {
  const contract = { address: getAddress(profile.paymentContract), abi: paymentsAbi } as const
  const found = await Promise.all(
    tokens.map(async (token) => {
      const address = getAddress(token.address)
      const [balance, isTaken] = await Promise.all([
        readContract(reader, { address, abi: tokenAbi, functionName: 'balanceOf', args: [account.address] }),
        readContract(reader, { ...contract, functionName: 'getTokenStatus', args: [address] }),
      ])
      return { token, balance, isTaken }
    }),
  )
  const taken = found.filter(({ isTaken }) => isTaken)
  const [first] = taken
  if (first === undefined) {
    const symbols = tokens.map(({ symbol }) => symbol).join(', ')
    throw new CairnError('TOKEN_NOT_SUPPORTED', {
      message: `The payment contract on ${profile.name} does not accept ${symbols}`,
      details: { tokens: tokens.map(({ address }) => address) },
    })
  }
  const rich = taken.find(({ balance }) => balance >= units)
  if (rich === undefined) throw tooLittle(first.token, first.balance, units)
  return rich.token
}

async function payToken(parts: Parts, { address }: TokenProfile, { units, beneficiary }: Amount): Promise<string> {
  const { profile, account, reader } = parts
  const token = getAddress(address)
  const contract = getAddress(profile.paymentContract)
  const read = { address: token, abi: tokenAbi } as const
  const allowance = await readContract(reader, {
    ...read,
    functionName: 'allowance',
    args: [account.address, contract],
  })
  // Some tokens reject changing a non-zero allowance.
  const approvals = allowance >= units ? [] : allowance > 0n ? [0n, units] : [units]
  if (approvals.length > 0 && parts.canAsk) {
    const batched = await payInOneBatch(parts, token, contract, { units, beneficiary, approvals })
    if (batched !== undefined) return batched
  }
  const { wallet, onEvent } = parts
  const common = { account, chain: wallet.chain }
  for (const value of approvals) {
    onEvent({ step: 'approving' })
    const approval = { ...read, functionName: 'approve', args: [contract, value] } as const
    const approving = await send(parts, 'approve', () => writeContract(wallet, { ...common, ...approval }))
    await waitUntilMined(parts, approving, 'approve')
    onEvent({ step: 'approved' })
  }
  onEvent({ step: 'paying' })
  const target = { ...common, address: contract, abi: paymentsAbi } as const
  const hash = await send(parts, 'pay', () =>
    beneficiary === undefined
      ? writeContract(wallet, { ...target, functionName: 'receiveToken', args: [units, token] })
      : writeContract(wallet, { ...target, functionName: 'receiveTokenFor', args: [units, token, beneficiary] }),
  )
  return followPayment(parts, hash)
}

type Batch = { units: bigint; beneficiary: Hex | undefined; approvals: readonly bigint[] }

/**
 * Approves and pays in one batch (EIP-5792); undefined if the wallet does not support it, or the user refuses to upgrade the
 * account.
 */
async function payInOneBatch(
  { wallet, account, onEvent, signal }: Parts,
  token: Hex,
  contract: Hex,
  { units, beneficiary, approvals }: Batch,
): Promise<string | undefined> {
  const isAtomic = await canBatch(wallet, account)
  if (!isAtomic) return undefined
  throwIfAborted(signal)
  onEvent({ step: 'paying' })
  const accepted = await sendCalls(wallet, {
    account,
    chain: wallet.chain,
    forceAtomic: true,
    calls: [
      ...approvals.map((value) => ({
        to: token,
        data: encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [contract, value] }),
      })),
      {
        to: contract,
        data:
          beneficiary === undefined
            ? encodeFunctionData({ abi: paymentsAbi, functionName: 'receiveToken', args: [units, token] })
            : encodeFunctionData({
                abi: paymentsAbi,
                functionName: 'receiveTokenFor',
                args: [units, token, beneficiary],
              }),
      },
    ],
  }).catch((error: unknown) => {
    if (isUpgradeRejected(error)) return undefined
    throw error
  })
  if (accepted === undefined) return undefined
  const { id } = accepted
  // From here on the money may be on its way.
  onEvent({ step: 'submitted', batchId: id })
  const { receipts, status } = await waitForBatch({ wallet, signal }, id)
  const hash = receipts?.at(-1)?.transactionHash
  if (status !== 'success') {
    throw new CairnError('PAYMENT_FAILED', {
      details: { batchId: id, outcome: 'unpaid', ...(hash === undefined ? {} : { txHash: hash }) },
    })
  }
  if (hash === undefined) throw unknownOutcome('pay', { batchId: id }, 'The wallet returned no transaction')
  onEvent({ step: 'sent', txHash: hash })
  onEvent({ step: 'mined', txHash: hash })
  return hash
}

async function canBatch(wallet: ChainClient, account: Account): Promise<boolean> {
  try {
    const { atomic } = await getCapabilities(wallet, { account, chainId: wallet.chain.id })
    return atomic?.status === 'supported' || atomic?.status === 'ready'
  } catch {
    // Wallets without batches answer with errors of their own.
    return false
  }
}

/**
 * Sends a transaction. An endpoint can accept one and fail before it answers: a transaction that was signed on this machine is
 * then looked up, so that it does not count as unpaid.
 * @throws CairnError PAYMENT_FAILED with an unknown outcome; errors of the wallet or endpoint that refused it
 */
async function send(parts: Parts, purpose: SentPurpose, work: () => Promise<Hash>): Promise<Hash> {
  const { lastSigned, reader, onEvent, signal } = parts
  // A caller that aborted does not pay any more.
  throwIfAborted(signal)
  const before = lastSigned?.()
  try {
    return await work()
  } catch (error) {
    const hash = lastSigned?.()
    if (hash === undefined || hash === before) throw error
    const known = await isKnown(reader, hash)
    if (known === true) return hash
    // A network can deliver a request twice: the second one is refused because the first was accepted.
    if (known === false && isRefusal(error)) throw error
    if (purpose === 'pay') onEvent({ step: 'sent', txHash: hash })
    throw unknownOutcome(purpose, { txHash: hash }, error)
  }
}

/** Returns whether the chain or its endpoint has a transaction; undefined if the endpoint does not answer. */
async function isKnown(reader: ChainClient, hash: Hash): Promise<boolean | undefined> {
  try {
    return (await reader.request({ method: 'eth_getTransactionByHash', params: [hash] })) !== null
  } catch {
    return undefined
  }
}

/** Reports a payment that was sent, until it is in a block. @returns the transaction */
async function followPayment(parts: Parts, hash: Hash): Promise<string> {
  parts.onEvent({ step: 'sent', txHash: hash })
  const txHash = await waitUntilMined(parts, hash, 'pay')
  parts.onEvent({ step: 'mined', txHash })
  return txHash
}

function tooLittle(
  { symbol, decimals }: Pick<TokenProfile, 'symbol' | 'decimals'>,
  have: bigint,
  need: bigint,
): CairnError {
  return new CairnError('INSUFFICIENT_FUNDS', {
    message: `The wallet has ${formatUnits(have, decimals)} ${symbol}, the payment needs ${formatUnits(need, decimals)}`,
    hint: 'Add funds, and native coin for gas.',
    details: { symbol, haveUnits: have.toString(), neededUnits: need.toString() },
  })
}
