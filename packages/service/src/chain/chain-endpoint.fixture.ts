import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What `isValidSignature` answers for a good signature, and for another. */
export const contractYes = `0x1626ba7e${'0'.repeat(56)}`
export const contractNo = `0x${'0'.repeat(64)}`

/** A real endpoint of a chain that says what a test wants. */
export type ChainEndpoint = Disposable & {
  url: string
  /** How often each method was asked for. */
  asked: Record<string, number>
  /** The gas that each `eth_call` was allowed. */
  gas: unknown[]
  /** Requests that were not answered. */
  silent: ServerResponse[]
}

/**
 * Serves JSON-RPC on a free port. Its chain id is 31337.
 * @param answer the result of a method, asked for the nth time; `undefined` is silence
 */
export async function serveChain(
  answer: (method: string, count: number) => string | undefined,
): Promise<ChainEndpoint> {
  const asked: Record<string, number> = {}
  const gas: unknown[] = []
  const silent: ServerResponse[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      const { method, params } = JSON.parse(body) as { method: string; params: { gas?: unknown }[] }
      const count = (asked[method] ?? 0) + 1
      asked[method] = count
      if (method === 'eth_call') gas.push(params[0]?.gas)
      const result = method === 'eth_chainId' ? '0x7a69' : answer(method, count)
      if (result === undefined) silent.push(response)
      else response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    gas,
    silent,
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
