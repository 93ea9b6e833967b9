import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server on a free port that answers each request by its number, from 1. */
export async function serveAnswers(answer: (response: ServerResponse, path: string, count: number) => void) {
  let count = 0
  const server = createServer((request, response) => answer(response, request.url ?? '', ++count))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requestCount: () => count,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
