import { CairnError } from '@cairn/protocol'
import type { Hex } from 'viem'
import { isHex } from 'viem/utils'
import type { Chain, Chains } from '../conditions/chains.ts'
import { evmFamily } from '../conditions/evm.ts'
import { type ChainClient, type ConditionLog, createChainClient } from '../conditions/rpc.ts'

/** Whether the contract at an address accepts a signature of a text, on the chain named or on any. */
export type ContractVerifier = (address: Hex, text: string, signature: Hex, chain: string) => Promise<boolean>

/** Longest signature that is handed to a contract. */
const signatureBytesMost = 4096
const chainsMost = 3
const timeoutMs = 5_000

/**
 * Asks contract wallets on the operator's chains: those that are deployed by EIP-1271, others by ERC-6492. The hash is
 * computed here, from the challenge. With chain `ALL` at most three chains are asked.
 * @see https://eips.ethereum.org/EIPS/eip-6492
 */
export function createContractVerifier(
  chains: Chains,
  parts: { clock: { now(): number }; log: ConditionLog },
): ContractVerifier {
  const clients = new Map<Chain, ChainClient>()
  const clientOf = (chain: Chain): ChainClient => {
    const client =
      clients.get(chain) ??
      createChainClient(chain, { ...parts, verify: (endpoint) => evmFamily.verify(chain, endpoint) })
    clients.set(chain, client)
    return client
  }
  return async (address, text, signature, chain) => {
    if (signature.length > 2 + 2 * signatureBytesMost) return false
    const evm = chains.all.filter(({ family }) => family === 'evm')
    const asked = chain.toUpperCase() === 'ALL' ? evm.slice(0, chainsMost) : [chains.find('evm', chain)]
    if (asked.length === 0) throw new CairnError('CHAIN_NOT_CONFIGURED')
    // A large library that only contract wallets need.
    const { isAccepted } = await import('./ask-contract.ts')
    const signal = AbortSignal.timeout(timeoutMs)
    const answers = await Promise.allSettled(
      asked.map((one) => isAccepted(clientOf(one), address, text, signature, signal)),
    )
    if (answers.some((answer) => answer.status === 'fulfilled' && answer.value)) return true
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (failed !== undefined) throw new CairnError('UPSTREAM_FAILED', { cause: failed.reason })
    return false
  }
}

/** Whether a text can be handed to a contract as a signature. */
export function isContractSignature(text: string): text is Hex {
  return isHex(text) && text.length % 2 === 0
}
