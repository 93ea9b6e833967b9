import { findSignedText } from '@cairn/crypto'
import { CairnError } from '@cairn/protocol'
import {
  contractChecksPerMinute,
  createChainClient,
  createContractVerifier,
  type Dependencies,
  rateLimitKey,
} from '@cairn/service'
import type { StorageConfig } from '../config.ts'
import type { Clock, Context, QueryContract } from '../context.ts'

/** Queries contract wallets on the operator's chain; undefined if none is configured. */
export function openContractWallets(
  { evmRpcUrl }: StorageConfig,
  parts: { clock: Clock; dependencies: Pick<Dependencies, 'add'> },
): QueryContract | undefined {
  if (evmRpcUrl === undefined) return undefined
  const client = createChainClient({ name: 'contract wallets', rpcUrls: [evmRpcUrl] }, parts)
  const verify = createContractVerifier()
  return (question) => verify([client], question)
}

/** A signature, and the candidate texts. */
export type Signed = {
  /** Normalised. */
  address: string
  /** Candidate texts, the likeliest first. */
  messages: readonly string[]
  signature: string
  /** IP address of the caller. */
  ip: string
}

/**
 * Finds the message that a wallet signed: EIP-191 for EVM addresses, EIP-1271 and ERC-6492 through the chain for
 * contract wallets, ed25519 for Solana addresses (signature in base58, base64 or hex).
 * @throws CairnError INVALID_SIGNATURE, CHAIN_NOT_CONFIGURED (only a contract could accept it, and no chain is
 * configured), UPSTREAM_FAILED, RATE_LIMITED
 */
export async function findSigned(
  { queryContract, rates, sharedRates }: Pick<Context, 'queryContract' | 'rates' | 'sharedRates'>,
  { address, messages, signature, ip }: Signed,
): Promise<string> {
  const found = await findSignedText(address, messages, signature, async (question) => {
    if (queryContract === undefined) {
      // A key's signature has 64 or 65 bytes; any other length can only be a contract's.
      if (signature.length === 132 || signature.length === 130) return undefined
      throw new CairnError('CHAIN_NOT_CONFIGURED')
    }
    const asker = `contract ${rateLimitKey(ip)}`
    rates.consume(asker, contractChecksPerMinute.atStorage)
    await sharedRates?.consume(asker, contractChecksPerMinute.atStorage)
    return queryContract(question)
  })
  if (found === undefined) throw new CairnError('INVALID_SIGNATURE')
  return found
}
