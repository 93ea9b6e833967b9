import { isEvmAddress, zeroAddress } from '@cairn/protocol'
import { createClient, http, isAddressEqual, parseAbi } from 'viem'
import { readContract } from 'viem/actions'
import { namehash } from 'viem/ens'

/** The registry of the Ethereum Name Service has this address on every chain that has one (ENSIP-1). */
const registry = '0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e'
const abi = parseAbi([
  'function resolver(bytes32 node) view returns (address)',
  'function addr(bytes32 node) view returns (address)',
  'function name(bytes32 node) view returns (string)',
])
const noAddress = '0x0000000000000000000000000000000000000000'

/**
 * Returns the address of a name; undefined if it has none, or the chain has no registry. Names of resolvers that answer
 * elsewhere (CCIP) are not looked up.
 */
export async function findEnsAddress(rpcUrl: string, name: string): Promise<string | undefined> {
  const address = await readResolver(rpcUrl, name, 'addr')
  return address === undefined || isAddressEqual(address, noAddress) ? undefined : address.toLowerCase()
}

/** Returns the name that an address chose for itself, if that name resolves to the address; undefined otherwise. */
export async function findEnsName(rpcUrl: string, address: string): Promise<string | undefined> {
  if (!isEvmAddress(address)) return undefined
  const node = `${address.slice(2).toLowerCase()}.addr.reverse`
  const name = await readResolver(rpcUrl, node, 'name')
  if (name === undefined || !isEnsName(name)) return undefined
  return (await findEnsAddress(rpcUrl, name)) === address.toLowerCase() ? name : undefined
}

/** Returns whether a text is looked up as a name: only plain letters, because others can imitate another name. */
export function isEnsName(text: string): boolean {
  return text.length <= 255 && /^(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]+$/.test(text)
}

async function readResolver(rpcUrl: string, name: string, read: 'addr'): Promise<`0x${string}` | undefined>
async function readResolver(rpcUrl: string, name: string, read: 'name'): Promise<string | undefined>
async function readResolver(rpcUrl: string, name: string, read: 'addr' | 'name'): Promise<string | undefined> {
  const client = createClient({ ccipRead: false, transport: http(rpcUrl, { retryCount: 0, timeout: 8_000 }) })
  const args = [namehash(name)] as const
  try {
    const resolver = await readContract(client, { address: registry, abi, functionName: 'resolver', args })
    if (resolver.toLowerCase() === zeroAddress) return undefined
    return await readContract(client, { address: resolver, abi, functionName: read, args })
  } catch {
    // There is no registry on this chain, no such record, or the chain does not answer. Names are a convenience, so this is not
    // an error.
    return undefined
  }
}
