import { CairnError } from '@cairn/protocol'
import { createPublicClient, custom, type Hex, hashMessage, isHex } from 'viem'
import { isErc6492Signature } from 'viem/utils'
import type { Chain, Chains } from '../conditions/chains.ts'
import { evmFamily } from '../conditions/evm.ts'
import { isJsonObject } from '../conditions/json.ts'
import { type ChainClient, type ConditionLog, createChainClient } from '../conditions/rpc.ts'

/** Whether the contract at an address accepts a signature of a text, on the chain named or on any. */
export type ContractVerifier = (address: Hex, text: string, signature: Hex, chain: string) => Promise<boolean>

/** First bytes of the right answer of `isValidSignature(bytes32,bytes)`. @see https://eips.ethereum.org/EIPS/eip-1271 */
const magicValue = '0x1626ba7e'
/** Longest signature that is handed to a contract. */
const signatureBytesMost = 4096
const gasMost = 1_000_000n
const chainsMost = 3
const timeoutMs = 5_000

const abi = [
  {
    type: 'function',
    name: 'isValidSignature',
    stateMutability: 'view',
    inputs: [{ type: 'bytes32' }, { type: 'bytes' }],
    outputs: [{ type: 'bytes4' }],
  },
] as const

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

async function isAccepted(
  endpoint: ChainClient,
  address: Hex,
  text: string,
  signature: Hex,
  signal: AbortSignal,
): Promise<boolean> {
  let refused = false
  const client = createPublicClient({
    // Nothing but what this needs: no other method, no look-ups outside of the chain.
    ccipRead: false,
    transport: custom(
      {
        request: async ({ method, params }: { method: string; params?: unknown }) => {
          const answer = await endpoint.call(method, withGas(method, params), { signal })
          if (answer.kind === 'result') return answer.result
          refused = true
          throw Object.assign(new Error(answer.message), { code: answer.code, data: answer.data })
        },
      },
      { retryCount: 0 },
    ),
  })
  try {
    if (isErc6492Signature(signature)) return await client.verifyMessage({ address, message: text, signature })
    const code = await client.getCode({ address })
    if (code === undefined || code === '0x') return false
    const args = [hashMessage(text), signature] as const
    return (await client.readContract({ address, abi, functionName: 'isValidSignature', args })) === magicValue
  } catch (error) {
    // A contract that reverts or answers in another form says no; an endpoint that fails says nothing.
    if (refused || (error instanceof Error && error.name === 'ContractFunctionExecutionError' && !isFault(error)))
      return false
    throw error
  }
}

/** Bounds what a contract may burn, whatever the endpoint would allow. */
function withGas(method: string, params: unknown): never[] {
  const list: unknown[] = Array.isArray(params) ? params : []
  const [first, ...rest] = list
  const bounded =
    method === 'eth_call' && isJsonObject(first as never)
      ? [{ ...(first as object), gas: `0x${gasMost.toString(16)}` }, ...rest]
      : list
  // viem builds these from texts and numbers alone, which is all that JSON-RPC takes.
  return bounded as never[]
}

function isFault(error: Error): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (CairnError.is(cause)) return true
  }
  return false
}

/** Whether a text can be handed to a contract as a signature. */
export function isContractSignature(text: string): text is Hex {
  return isHex(text) && text.length % 2 === 0
}
