import { CairnError } from '@cairn/protocol'
import {
  type ChainClient,
  type ContractLimits,
  type ContractSignature,
  createChainClient,
  createContractVerifier,
  type Dependencies,
} from '@cairn/service'
import type { Chain, Chains } from '../conditions/chains.ts'
import { evmFamily } from '../conditions/evm.ts'

/**
 * Finds the text whose signature the contract at an address accepts, on a named chain or, for `ALL`, on the
 * operator's first ones.
 * @throws CairnError CHAIN_NOT_CONFIGURED, CHAIN_NOT_SUPPORTED, UPSTREAM_FAILED, RATE_LIMITED if too many checks are
 * running
 */
export type NodeContractVerifier = (signed: ContractSignature & { chain: string }) => Promise<string | undefined>

/** Number of chains queried when none is named. */
const maxChains = 3

/** Queries contract wallets on the operator's chains. */
export function createNodeContractVerifier(
  chains: Chains,
  {
    limits,
    ...watching
  }: { clock: { now(): number }; dependencies?: Pick<Dependencies, 'add'>; limits?: Partial<ContractLimits> },
): NodeContractVerifier {
  const clients = new Map<Chain, ChainClient>()
  const clientOf = (chain: Chain): ChainClient => {
    const client =
      clients.get(chain) ??
      createChainClient(chain, { ...watching, verify: (endpoint) => evmFamily.verify(chain, endpoint) })
    clients.set(chain, client)
    return client
  }
  const verify = createContractVerifier(limits)
  return async ({ chain, ...signed }) => {
    const evm = chains.all.filter(({ family }) => family === 'evm')
    const asked = chain.toUpperCase() === 'ALL' ? evm.slice(0, maxChains) : [chains.find('evm', chain)]
    if (asked.length === 0) throw new CairnError('CHAIN_NOT_CONFIGURED')
    return verify(asked.map(clientOf), signed)
  }
}
