import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from '../client.ts'

/** Opens a gateway with responses of the test, and returns a client for it. */
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

/** A gateway proxy: `change` receives the bytes of each response and may alter them, or break the connection. */
export function alterGateway(
  client: Client,
  change: (body: Buffer, path: string) => Buffer | undefined,
): Promise<Client & AsyncDisposable> {
  const target = new URL(client.network.gateway)
  return openGateway(client, (incoming, outgoing) => {
    const path = incoming.url ?? '/'
    request(
      { host: target.hostname, port: target.port, path, method: incoming.method, headers: incoming.headers },
      async (answer) => {
        const parts: Buffer[] = []
        for await (const part of answer) parts.push(part)
        const body = change(Buffer.concat(parts), path)
        outgoing.writeHead(answer.statusCode ?? 500, { 'content-type': answer.headers['content-type'] ?? '' })
        if (body === undefined) outgoing.write('', () => outgoing.destroy())
        else outgoing.end(body)
      },
    ).end()
  })
}
