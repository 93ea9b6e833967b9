import { createWalletClient, type EIP1193Provider, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { anvil } from 'viem/chains'

export type WalletOptions = {
  /** Whether it confirms several calls at once (EIP-5792). */
  batches?: boolean
  /** Called with each request; a result other than undefined is the response. */
  at?: (method: string, params: unknown[]) => unknown
}

/** Creates an EIP-1193 provider over a private key, which behaves as a test specifies for a method. */
export function createProvider(url: string, privateKey: Hex, { batches = false, at }: WalletOptions = {}) {
  const account = privateKeyToAccount(privateKey)
  const wallet = createWalletClient({ account, chain: anvil, transport: http(url) })
  const asked: string[] = []
  let chainId = '0x1'
  const sent = new Map<string, Hex[]>()
  const request = async ({ method, params = [] }: { method: string; params?: unknown[] }): Promise<unknown> => {
    asked.push(method)
    const answer = await at?.(method, params)
    if (answer !== undefined) return answer
    const [first] = params as [Record<string, Hex>]
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [account.address]
    if (method === 'eth_chainId') return chainId
    if (method === 'wallet_switchEthereumChain') {
      chainId = first['chainId'] ?? ''
      return null
    }
    const send = (call: Record<string, Hex>) =>
      wallet.sendTransaction({
        to: call['to'] ?? '0x',
        data: call['data'] ?? '0x',
        value: BigInt(call['value'] ?? 0),
      })
    if (method === 'eth_sendTransaction') return send(first)
    if (method === 'wallet_getCapabilities') {
      if (!batches) throw Object.assign(new Error('unknown method'), { code: -32601 })
      return { [chainId]: { atomic: { status: 'supported' } } }
    }
    if (method === 'wallet_sendCalls') {
      const { calls } = first as unknown as { calls: Record<string, Hex>[] }
      const hashes: Hex[] = []
      for (const call of calls) hashes.push(await send(call))
      sent.set('batch', hashes)
      return { id: 'batch' }
    }
    if (method === 'wallet_getCallsStatus') {
      const receipts = (sent.get('batch') ?? []).map((transactionHash) => ({
        transactionHash,
        status: '0x1',
        logs: [],
        blockHash: transactionHash,
        blockNumber: '0x1',
        gasUsed: '0x1',
      }))
      return { version: '2.0.0', id: 'batch', chainId, status: 200, atomic: true, receipts }
    }
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error }: { result: unknown; error?: { message: string; code: number } } = await response.json()
    if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code })
    return result
  }
  return {
    provider: { request, on: () => undefined, removeListener: () => undefined } as unknown as EIP1193Provider,
    asked,
  }
}
