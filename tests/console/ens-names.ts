// Names of the Ethereum Name Service on a local chain: its registry at its usual address, and a resolver.
import { createTestClient, encodeAbiParameters, encodeFunctionData, http, keccak256, numberToHex, parseAbi } from 'viem'
import { namehash } from 'viem/ens'

const registry = '0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e'
const resolver = `0x${'e5'.repeat(20)}` as const
const abi = parseAbi([
  'function resolver(bytes32 node) view returns (address)',
  'function addr(bytes32 node) view returns (address)',
  'function name(bytes32 node) view returns (string)',
])
/**
 * A contract that answers a call with three words of its storage, starting at the hash of the first 36 bytes of the call:
 * calldatacopy(0, 0, 36), keccak256(0, 36), sload of the hash, the hash + 1 and the hash + 2, return(0, 96).
 */
const answersFromStorage = '0x602460006000376024600020805460005280600101546020526002015460405260606000f3'
const maxWords = 3

/** Registers a name for an address on a local chain, also as the primary name of the address. */
export async function registerEnsName(rpcUrl: string, name: string, address: `0x${string}`): Promise<void> {
  const chain = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
  for (const contract of [registry, resolver] as const)
    await chain.setCode({ address: contract, bytecode: answersFromStorage })
  const reverse = `${address.slice(2).toLowerCase()}.addr.reverse`
  const answer = async (
    contract: `0x${string}`,
    functionName: 'resolver' | 'addr' | 'name',
    node: string,
    value: `0x${string}`,
  ) => {
    const call = encodeFunctionData({ abi, functionName, args: [namehash(node)] })
    const place = BigInt(keccak256(call))
    const words = value.slice(2).match(/.{64}/g) ?? []
    if (words.length > maxWords) throw new Error(`${functionName} of ${node} is too long`)
    for (const [at, word] of words.entries()) {
      const index = numberToHex(place + BigInt(at), { size: 32 })
      await chain.setStorageAt({ address: contract, index, value: `0x${word}` })
    }
  }
  const asAddress = (one: `0x${string}`) => encodeAbiParameters([{ type: 'address' }], [one])
  for (const node of [name, reverse]) await answer(registry, 'resolver', node, asAddress(resolver))
  await answer(resolver, 'addr', name, asAddress(address))
  await answer(resolver, 'name', reverse, encodeAbiParameters([{ type: 'string' }], [name]))
}
