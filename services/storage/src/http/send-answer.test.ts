import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { KIB, MIB } from '@cairn/protocol'
import { afterEach, expect, test } from 'vitest'
import { sendAnswer } from './send-answer.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** Serves one body at every path, and notes the most bytes that waited to be sent. */
async function serve(body: () => AsyncIterable<Uint8Array>, headers: Record<string, string> = {}) {
  const most = { waitingBytes: 0 }
  const server = createServer((_request, response) => {
    const watched = async function* () {
      for await (const piece of body()) {
        yield piece
        most.waitingBytes = Math.max(most.waitingBytes, response.writableLength)
      }
    }
    void sendAnswer(response, { status: 200, headers, body: watched })
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const { port }: Pick<AddressInfo, 'port'> = Object.assign({ port: 0 }, server.address())
  return { url: `http://127.0.0.1:${port}/`, port, most }
}

/** Pieces from a few bytes to several hundred KiB, sometimes after a pause, and all of them together. */
function manyPieces(count: number, sizes: readonly number[]) {
  const pieces = Array.from({ length: count }, (_, at) => Buffer.alloc(sizes[at % sizes.length] ?? 1, `piece ${at} `))
  const body = async function* () {
    for (const [at, piece] of pieces.entries()) {
      if (at % 97 === 96) await new Promise((resolve) => setImmediate(resolve))
      yield piece
    }
  }
  return { body, whole: Buffer.concat(pieces) }
}

test.each([
  ['tiny pieces', 20_000, [1, 60, 500]],
  ['large pieces', 40, [256 * KIB]],
  ['pieces of all sizes', 400, [10, 70_000, 512, 300 * KIB, 3]],
])('sends %s whole and in order, with and without a length', async (_what, count, sizes) => {
  const { body, whole } = manyPieces(count, sizes)
  for (const headers of [{}, { 'content-length': String(whole.length) }]) {
    const { url } = await serve(body, headers)
    // The second response uses the same connection.
    for (let time = 0; time < 2; time++) {
      expect(Buffer.compare(Buffer.from(await (await fetch(url)).arrayBuffer()), whole)).toBe(0)
    }
  }
})

test('a client that reads slowly pauses the reading, and gets everything', async () => {
  const { body, whole } = manyPieces(3_000, [10, 9_000, 40 * KIB])
  const { port, most } = await serve(body, { 'content-length': String(whole.length), connection: 'close' })
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const received: Buffer[] = []
  for await (const piece of socket) {
    received.push(piece)
    if (received.length % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const all = Buffer.concat(received)
  expect(Buffer.compare(all.subarray(all.indexOf('\r\n\r\n') + 4), whole)).toBe(0)
  expect(most.waitingBytes).toBeLessThan(MIB)
})
