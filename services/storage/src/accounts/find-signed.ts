import { type ContractQuestion, findSignedText } from '@cairn/crypto'
import { CairnError } from '@cairn/protocol'
import {
  contractChecksPerMinute,
  createChainClient,
  createContractVerifier,
  type Dependencies,
  nameAsker,
} from '@cairn/service'
import type { StorageConfig } from '../config.ts'
import type { Clock, Context } from '../context.ts'

/** Finds the text that a contract wallet accepts a signature of. @throws CairnError UPSTREAM_FAILED, RATE_LIMITED */
export type AskContract = (question: ContractQuestion) => Promise<string | undefined>

/** Asks contract wallets on the operator's chain; undefined if none is configured. */
export function openContractWallets(
  { evmRpcUrl }: StorageConfig,
  parts: { clock: Clock; dependencies: Pick<Dependencies, 'add'> },
): AskContract | undefined {
  if (evmRpcUrl === undefined) return undefined
  const client = createChainClient({ name: 'contract wallets', rpcUrls: [evmRpcUrl] }, parts)
  const verify = createContractVerifier()
  return (question) => verify([client], question)
}

/** A signature, and the texts that it may be of. */
export type Signed = {
  /** Normalised. */
  address: string
  /** Texts of which it may be a signature, the likeliest first. */
  messages: readonly string[]
  signature: string
  /** IP address of the caller. */
  ip: string
}

/**
 * Finds the message that a wallet signed: EIP-191 for EVM addresses, EIP-1271 and ERC-6492 through the chain for contract
 * wallets, ed25519 for Solana addresses (signature in base58, base64 or hex).
 * @throws CairnError INVALID_SIGNATURE, CHAIN_NOT_CONFIGURED (only a contract could have accepted it, and there is no chain
 *   to ask), UPSTREAM_FAILED, RATE_LIMITED
 */
export async function findSigned(
  { askContract, rates }: Pick<Context, 'askContract' | 'rates'>,
  { address, messages, signature, ip }: Signed,
): Promise<string> {
  const found = await findSignedText(address, messages, signature, async (question) => {
    if (askContract === undefined) {
      // 64 and 65 bytes can be a key's; anything else can only be a contract's.
      if (signature.length === 132 || signature.length === 130) return undefined
      throw new CairnError('CHAIN_NOT_CONFIGURED')
    }
    rates.take(`contract ${nameAsker(ip)}`, contractChecksPerMinute.atStorage)
    return askContract(question)
  })
  if (found === undefined) throw new CairnError('INVALID_SIGNATURE')
  return found
}
