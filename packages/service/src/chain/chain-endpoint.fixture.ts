import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Results of `isValidSignature` for a valid signature, and for any other. */
export const contractYes = `0x1626ba7e${'0'.repeat(56)}`
export const contractNo = `0x${'0'.repeat(64)}`

/** A real chain endpoint with responses that a test sets. */
export type ChainEndpoint = Disposable & {
  url: string
  /** Number of requests per method. */
  requestCounts: Record<string, number>
  /** Gas limits of the `eth_call` requests. */
  gas: unknown[]
  /** Requests without a response. */
  silent: ServerResponse[]
}

/**
 * Serves JSON-RPC on a free port. Its chain id is 31337.
 * @param answer the result or error of the nth request of a method; `undefined` sends no response
 */
export async function serveChain(
  answer: (method: string, count: number) => string | { code: number; message: string } | undefined,
): Promise<ChainEndpoint> {
  const requestCounts: Record<string, number> = {}
  const gas: unknown[] = []
  const silent: ServerResponse[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      const { method, params } = JSON.parse(body) as { method: string; params: { gas?: unknown }[] }
      const count = (requestCounts[method] ?? 0) + 1
      requestCounts[method] = count
      if (method === 'eth_call') gas.push(params[0]?.gas)
      const result = method === 'eth_chainId' ? '0x7a69' : answer(method, count)
      if (result === undefined) silent.push(response)
      else
        response.end(
          JSON.stringify({ jsonrpc: '2.0', id: 1, ...(typeof result === 'string' ? { result } : { error: result }) }),
        )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestCounts,
    gas,
    silent,
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
