import { CairnError } from '@cairn/protocol'
import type { Hex } from 'viem'
import type { ChainClient } from './rpc.ts'

/** A signature that only a contract can verify. */
export type ContractSignature = {
  address: Hex
  /** Candidate messages, the likeliest first. */
  texts: readonly string[]
  signature: Hex
}

/**
 * Returns the message whose signature the contract at an address accepts.
 * @throws CairnError UPSTREAM_FAILED if a chain does not answer in time, RATE_LIMITED if too many checks are in
 *   progress
 */
export type ContractVerifier = (
  clients: readonly ChainClient[],
  signed: ContractSignature,
) => Promise<string | undefined>

/** Anyone can make a service call chains: these limit the cost of one call, and the number of concurrent ones. */
const contractLimits = {
  /** Maximum size of a signature passed to a contract. */
  maxSignatureBytes: 4096,
  /** Time limit for all messages on all chains together. */
  timeoutMs: 5_000,
  /** Maximum number of messages checked concurrently, per chain. */
  maxTextsAtOnce: 4,
  /** Maximum number of concurrent checks, in total and per address. */
  maxInFlight: 16,
  maxInFlightPerAddress: 2,
}
export type ContractLimits = typeof contractLimits

/**
 * Checks per minute and client IP address. The router calls a key node on behalf of many users, so a node allows more.
 */
export const contractChecksPerMinute = { atStorage: 30, atRouter: 30, atNode: 100 }

/**
 * Creates the verifier of contract wallets: deployed ones by EIP-1271, others by ERC-6492. It computes the hash from
 * the message itself. A contract can use a limited amount of gas, and cannot make the service call anything but the
 * chain: CCIP-Read (EIP-3668) is off.
 * @see https://eips.ethereum.org/EIPS/eip-1271
 * @see https://eips.ethereum.org/EIPS/eip-6492
 */
export function createContractVerifier(changed: Partial<ContractLimits> = {}): ContractVerifier {
  const limits: ContractLimits = { ...contractLimits, ...changed }
  const running = new Map<string, number>()
  let inFlight = 0
  const acquire = (address: string): Disposable => {
    const own = running.get(address) ?? 0
    if (inFlight >= limits.maxInFlight || own >= limits.maxInFlightPerAddress) {
      throw new CairnError('RATE_LIMITED', {
        message: 'Too many contract wallet signatures are being verified',
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
  return async (clients, { address, texts, signature }) => {
    if (signature.length > 2 + 2 * limits.maxSignatureBytes || texts.length === 0) return undefined
    using _place = acquire(address)
    // A large library that only contract wallets need.
    const { findAccepted } = await import('./find-accepted.ts')
    const signal = AbortSignal.timeout(limits.timeoutMs)
    const question = { address, texts, signature, atOnce: limits.maxTextsAtOnce, signal }
    const answers = await Promise.allSettled(clients.map((client) => findAccepted(client, question)))
    for (const answer of answers) if (answer.status === 'fulfilled' && answer.value !== undefined) return answer.value
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (failed !== undefined) throw new CairnError('UPSTREAM_FAILED', { cause: failed.reason })
    return undefined
  }
}
