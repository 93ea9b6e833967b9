import { type CairnError, conditionReason } from '@cairn/protocol'
import { createPublicClient, custom, type Hex, hashMessage } from 'viem'
import { isErc6492Signature } from 'viem/utils'
import { failed } from './fetch-endpoint.ts'
import { isJsonObject } from './json.ts'
import { type ChainClient, isExecutionError, isOutOfGas, type RpcAnswer } from './rpc.ts'

/**
 * Selector that `isValidSignature(bytes32,bytes)` returns for a valid signature. @see
 * https://eips.ethereum.org/EIPS/eip-1271
 */
const magicValue = '0x1626ba7e'
/** Maximum gas of a contract call, whatever the endpoint would allow. */
const maxGas = 1_000_000n

const abi = [
  {
    type: 'function',
    name: 'isValidSignature',
    stateMutability: 'view',
    inputs: [{ type: 'bytes32' }, { type: 'bytes' }],
    outputs: [{ type: 'bytes4' }],
  },
] as const

/** Time in ms to cache whether there is a contract at an address. */
const codeKeptMs = 5_000

/** A signature check by a contract. */
export type ContractCheck = {
  address: Hex
  /** Candidate messages, the likeliest first. */
  texts: readonly string[]
  signature: Hex
  /** Maximum number of messages checked concurrently. */
  atOnce: number
  signal: AbortSignal
}

/**
 * Returns the message whose signature the contract at an address accepts, or undefined.
 * @throws CairnError UPSTREAM_FAILED
 */
export async function findAccepted(endpoint: ChainClient, check: ContractCheck): Promise<string | undefined> {
  const { address, texts, signature, atOnce, signal } = check
  // A wallet that is not deployed yet proves itself by its future code (ERC-6492); any other address without code
  // cannot sign.
  if (!isErc6492Signature(signature) && !(await hasCode(endpoint, address, signal))) return undefined
  for (let start = 0; start < texts.length; start += atOnce) {
    const some = texts.slice(start, start + atOnce)
    const answers = await Promise.all(some.map((text) => isAccepted(endpoint, { address, text, signature, signal })))
    const found = some.find((_text, i) => answers[i])
    if (found !== undefined) return found
  }
  return undefined
}

async function hasCode(endpoint: ChainClient, address: Hex, signal: AbortSignal): Promise<boolean> {
  const answer = await endpoint.call('eth_getCode', [address, 'latest'], { signal, keepMs: codeKeptMs })
  if (answer.kind === 'error') throw failureOf(answer)
  return typeof answer.result === 'string' && !/^0x0*$/.test(answer.result)
}

async function isAccepted(
  endpoint: ChainClient,
  { address, text, signature, signal }: { address: Hex; text: string; signature: Hex; signal: AbortSignal },
): Promise<boolean> {
  let isRefused = false
  let failure: unknown
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    try {
      const answer = await endpoint.call(method, withGas(method, params), { signal })
      if (answer.kind === 'result') return answer.result
      if (!isExecutionError(answer) && !isOutOfGas(answer)) throw failureOf(answer)
      isRefused = true
      throw Object.assign(new Error(answer.message), { code: answer.code, data: answer.data })
    } catch (error) {
      if (!isRefused) failure = error
      throw error
    }
  }
  // The minimum: no other method, no look-ups outside of the chain.
  const client = createPublicClient({ ccipRead: false, transport: custom({ request }, { retryCount: 0 }) })
  const verify = async (): Promise<boolean> => {
    if (isErc6492Signature(signature)) return client.verifyMessage({ address, message: text, signature })
    const args = [hashMessage(text), signature] as const
    return (await client.readContract({ address, abi, functionName: 'isValidSignature', args })) === magicValue
  }
  try {
    if (await verify()) return true
  } catch (error) {
    // A contract that reverts or returns another form rejects.
    const isAnswered = isRefused || (error instanceof Error && error.name === 'ContractFunctionExecutionError')
    if (failure === undefined && !isAnswered) throw error
  }
  // A failing endpoint is not an answer, although viem treats some failures as one.
  if (failure !== undefined) throw failure
  return false
}

/** An error that is not about the call: the endpoint limits rates, lacks a block, or does not know the method. */
function failureOf(answer: RpcAnswer & { kind: 'error' }): CairnError {
  return failed(conditionReason('CHAIN_ERROR', { error: String(answer.code) }))
}

function withGas(method: string, params: unknown): never[] {
  const list: unknown[] = Array.isArray(params) ? params : []
  const [first, ...rest] = list
  const bounded =
    method === 'eth_call' && isJsonObject(first as never)
      ? [{ ...(first as object), gas: `0x${maxGas.toString(16)}` }, ...rest]
      : list
  // viem builds these from texts and numbers only, which JSON-RPC accepts.
  return bounded as never[]
}
