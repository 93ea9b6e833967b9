import { CairnError } from '@cairn/protocol'
import { createPublicClient, type Hex, hashMessage, http, type PublicClient } from 'viem'
import { isErc6492Signature } from 'viem/utils'
import type { StorageConfig } from '../config.ts'

/**
 * Finds the message whose signature a contract wallet accepts, if any.
 * @throws CairnError UPSTREAM_FAILED when the chain cannot be asked
 */
export type ContractVerifier = (
  address: `0x${string}`,
  messages: readonly string[],
  signature: Hex,
) => Promise<number | undefined>

/** First bytes of the right answer of `isValidSignature(bytes32,bytes)`. @see https://eips.ethereum.org/EIPS/eip-1271 */
const magicValue = '0x1626ba7e'
const rpcTimeoutMs = 5_000

const abi = [
  {
    type: 'function',
    name: 'isValidSignature',
    stateMutability: 'view',
    inputs: [{ type: 'bytes32' }, { type: 'bytes' }],
    outputs: [{ type: 'bytes4' }],
  },
] as const

const verifiers = new WeakMap<StorageConfig, ContractVerifier>()

/** The verifier of a service's own chain; undefined where none is configured. */
export function contractVerifierOf({ config }: { config: StorageConfig }): ContractVerifier | undefined {
  if (config.evmRpcUrl === undefined) return undefined
  const verifier = verifiers.get(config) ?? createContractVerifier(config.evmRpcUrl)
  verifiers.set(config, verifier)
  return verifier
}

/**
 * Asks contract wallets through the operator's endpoint and no other: those on the chain by EIP-1271, those that are yet
 * to be deployed by ERC-6492, where the signature carries the deployment and the chain only plays it through.
 * @see https://eips.ethereum.org/EIPS/eip-6492
 */
function createContractVerifier(rpcUrl: string): ContractVerifier {
  const client = createPublicClient({
    transport: http(rpcUrl, { timeout: rpcTimeoutMs, retryCount: 1, fetchOptions: { redirect: 'error' } }),
  })
  return async (address, messages, signature) => {
    try {
      const isWrapped = isErc6492Signature(signature)
      if (!isWrapped) {
        const code = await client.getCode({ address })
        if (code === undefined || code === '0x') return undefined
      }
      for (const [index, message] of messages.entries()) {
        const accepted = isWrapped
          ? await client.verifyMessage({ address, message, signature })
          : await isAccepted(client, address, message, signature)
        if (accepted) return index
      }
      return undefined
    } catch (error) {
      throw new CairnError('UPSTREAM_FAILED', { cause: error })
    }
  }
}

async function isAccepted(client: PublicClient, address: Hex, message: string, signature: Hex): Promise<boolean> {
  try {
    const args = [hashMessage(message), signature] as const
    return (await client.readContract({ address, abi, functionName: 'isValidSignature', args })) === magicValue
  } catch (error) {
    // A contract that reverts or answers in another form says no; an endpoint that fails says nothing.
    if (error instanceof Error && error.name === 'ContractFunctionExecutionError' && !isTransportFault(error))
      return false
    throw error
  }
}

/** viem wraps faults of the endpoint into the same error as a revert: the causes tell them apart. */
function isTransportFault(error: Error): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (['HttpRequestError', 'TimeoutError', 'RpcRequestError', 'LimitExceededRpcError'].includes(cause.name)) {
      const isRevert = 'code' in cause && (cause.code === 3 || cause.code === -32000)
      return !isRevert
    }
  }
  return false
}
