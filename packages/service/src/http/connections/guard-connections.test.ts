import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { guardConnections } from './guard-connections.ts'

test('a connection keeps no listener of requests that were answered before their body arrived', async () => {
  const server = createServer((request, response) => {
    request.resume()
    response.end('early')
  })
  guardConnections(server, { max: 10, maxPerAddress: 10 }, () => undefined)
  const connected: Promise<[Socket]> = once(server, 'connection').then(([socket]) => [socket])
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port }: AddressInfo = Object(server.address())
  const client = connect(port, '127.0.0.1')
  try {
    const [socket] = await connected
    const counts: number[] = []
    for (let round = 0; round < 12; round++) {
      const whole = Promise.withResolvers<void>()
      server.once('request', (request) => request.once('close', () => setImmediate(whole.resolve)))
      client.write('POST / HTTP/1.1\r\nhost: local\r\ncontent-length: 4\r\n\r\n')
      await once(client, 'data')
      client.write('body')
      await whole.promise
      counts.push(socket.listenerCount('close'))
    }
    expect(new Set(counts).size).toBe(1)
  } finally {
    client.destroy()
    server.close()
  }
})
