import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from '../client.ts'

/** Opens a gateway with answers of the test's own, and returns a client that reads from it. */
export async function openGateway(
  client: Client,
  answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<Client & AsyncDisposable> {
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const gateway = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...client,
    network: { ...client.network, gateway },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
