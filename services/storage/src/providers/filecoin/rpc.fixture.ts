import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FilecoinContracts } from './contracts.fixture.ts'

/** A JSON-RPC endpoint of a chain for tests. */
export type ServedChain = AsyncDisposable & {
  readonly url: string
  /** Requested methods, in order. */
  readonly requests: string[]
  fault: 'none' | 'down' | 'garbage' | 'endless' | 'other-chain'
}

/** Serves the contracts on a free port. */
export async function serveFilecoinRpc(contracts: FilecoinContracts): Promise<ServedChain> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(Buffer.concat(parts).toString())
      served.requests.push(method)
      response.setHeader('content-type', 'application/json')
      const answer = (body: object): unknown => response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
      if (served.fault === 'down') request.socket.destroy()
      else if (served.fault === 'garbage') response.end('<html>no such endpoint</html>')
      else if (served.fault === 'endless') answer({ result: `0x${'0'.repeat(9 * 1024 * 1024)}` })
      else if (served.fault === 'other-chain' && method === 'eth_chainId') answer({ result: '0x1' })
      else {
        try {
          answer({ result: contracts.answer(method, params) })
        } catch (error) {
          answer({ error: { code: -32_000, message: error instanceof Error ? error.message : String(error) } })
        }
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const served: ServedChain = {
    url: `http://127.0.0.1:${port}/rpc/v1`,
    requests: [],
    fault: 'none',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return served
}
