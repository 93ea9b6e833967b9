import { CairnError } from '@cairn/protocol'
import { type ChainClient, createChainClient, type Dependencies } from '@cairn/service'
import type { Hex } from 'viem'
import { isHex } from 'viem/utils'
import type { Chain, Chains } from '../conditions/chains.ts'
import { evmFamily } from '../conditions/evm.ts'

/** What somebody says that a contract wallet signed. */
export type ContractSignature = {
  address: Hex
  /** Texts of which it may have been one, the likeliest first. */
  texts: readonly string[]
  signature: Hex
  /** A chain by name, or `ALL`. */
  chain: string
}

/**
 * Finds the text that the contract at an address accepts the signature of.
 * @throws CairnError CHAIN_NOT_CONFIGURED, CHAIN_NOT_SUPPORTED, UPSTREAM_FAILED, RATE_LIMITED where as many are asked as may be
 */
export type ContractVerifier = (signed: ContractSignature) => Promise<string | undefined>

/** Anybody may make a node ask chains, so what one call may cost is limited, and how many run at a time. */
export const contractLimits = {
  /** Longest signature that is handed to a contract. */
  signatureBytes: 4096,
  /** Chains asked where none is named. */
  chains: 3,
  /** All texts on all chains together. */
  timeoutMs: 5_000,
  /** Texts asked about at a time, on each chain. */
  textsAtOnce: 4,
  /** Checks under way, in all and for one address. */
  inFlight: 16,
  inFlightPerAddress: 2,
}
export type ContractLimits = typeof contractLimits

/** Checks a minute for each IP address that a node or the router is asked from. A node is asked by the router for many. */
export const contractChecksPerMinute = { atNode: 100, atRouter: 30 }

/**
 * Asks contract wallets on the operator's chains: those that are deployed by EIP-1271, others by ERC-6492. The hash is
 * computed here, from the challenge.
 * @see https://eips.ethereum.org/EIPS/eip-6492
 */
export function createContractVerifier(
  chains: Chains,
  parts: { clock: { now(): number }; dependencies?: Pick<Dependencies, 'add'>; limits?: Partial<ContractLimits> },
): ContractVerifier {
  const limits: ContractLimits = { ...contractLimits, ...parts.limits }
  const clients = new Map<Chain, ChainClient>()
  const clientOf = (chain: Chain): ChainClient => {
    const { limits: _limits, ...watching } = parts
    const client =
      clients.get(chain) ??
      createChainClient(chain, { ...watching, verify: (endpoint) => evmFamily.verify(chain, endpoint) })
    clients.set(chain, client)
    return client
  }
  const running = new Map<string, number>()
  let inFlight = 0
  const enter = (address: string): Disposable => {
    const own = running.get(address) ?? 0
    if (inFlight >= limits.inFlight || own >= limits.inFlightPerAddress) {
      throw new CairnError('RATE_LIMITED', {
        message: 'Too many signatures of contract wallets are being checked',
        retryAfterSeconds: Math.ceil(limits.timeoutMs / 1000),
      })
    }
    inFlight++
    running.set(address, own + 1)
    return {
      [Symbol.dispose]() {
        inFlight--
        const left = (running.get(address) ?? 1) - 1
        if (left === 0) running.delete(address)
        else running.set(address, left)
      },
    }
  }
  return async ({ address, texts, signature, chain }) => {
    if (signature.length > 2 + 2 * limits.signatureBytes || texts.length === 0) return undefined
    const evm = chains.all.filter(({ family }) => family === 'evm')
    const asked = chain.toUpperCase() === 'ALL' ? evm.slice(0, limits.chains) : [chains.find('evm', chain)]
    if (asked.length === 0) throw new CairnError('CHAIN_NOT_CONFIGURED')
    using _place = enter(address)
    // A large library that only contract wallets need.
    const { findAccepted } = await import('./ask-contract.ts')
    const question = { address, texts, signature, atOnce: limits.textsAtOnce }
    const signal = AbortSignal.timeout(limits.timeoutMs)
    const answers = await Promise.allSettled(asked.map((one) => findAccepted(clientOf(one), { ...question, signal })))
    for (const answer of answers) if (answer.status === 'fulfilled' && answer.value !== undefined) return answer.value
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (failed !== undefined) throw new CairnError('UPSTREAM_FAILED', { cause: failed.reason })
    return undefined
  }
}

/** Whether a text can be handed to a contract as a signature. */
export function isContractSignature(text: string): text is Hex {
  return isHex(text) && text.length % 2 === 0
}
