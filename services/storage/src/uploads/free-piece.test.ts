import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { freePiece } from '@cairn/protocol'
import { describe, expect, it } from 'vitest'
import { readSteadily } from './read-steadily.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A pre-shared key replaces certificates. */
const sharedKey = {
  ciphers: 'PSK',
  maxVersion: 'TLSv1.2' as const,
  pskCallback: () => ({ psk: Buffer.alloc(32, 7), identity: 'test' }),
}
const transports = {
  plain: {
    serve: (answer: Answer): Server => createServer(answer),
    open: (port: number): Socket => connect(port, '127.0.0.1'),
  },
  TLS: {
    serve: (answer: Answer): Server =>
      createTlsServer({ ...sharedKey, pskCallback: () => Buffer.alloc(32, 7), pskIdentityHint: 'test' }, answer),
    open: (port: number): Socket =>
      connectTls({ ...sharedKey, port, host: '127.0.0.1', checkServerIdentity: () => undefined }),
  },
}
type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A request with a Content-Length body, or in HTTP chunks of `chunkBytes`. */
function encodeRequest(body: Uint8Array, chunkBytes: number | undefined, isLast: boolean): Buffer {
  const head = `POST / HTTP/1.1\r\nHost: x\r\n${isLast ? 'Connection: close\r\n' : ''}`
  if (chunkBytes === undefined)
    return Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body])
  const pieces: Uint8Array[] = [Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`)]
  for (let at = 0; at < body.length; at += chunkBytes) {
    const chunk = body.subarray(at, at + chunkBytes)
    pieces.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
}

/** Bodies of 320 requests on one connection: 300 small ones that arrive in few packets, then some of up to 1 MiB. */
const bodies = [
  ...Array.from({ length: 300 }, (_, at) => randomBytes(1 + ((at * 37) % 700))),
  ...Array.from({ length: 20 }, (_, at) => randomBytes(1_048_576 - at * 50_021)),
]

describe.each(['plain', 'TLS'] as const)('pieces of requests over %s', (kind) => {
  it.each([
    ['by length', undefined],
    ['in small chunks', 1_000],
    ['in large chunks', 200_000],
  ])('have buffers of their own, %s, are freed when taken, and no byte is wrong', async (_, chunkBytes) => {
    const seen = new Set<ArrayBufferLike>()
    const wrong: string[] = []
    const signal = new AbortController().signal
    let requests = 0
    const server = transports[kind].serve(async (request, response) => {
      const isSlow = requests++ % 2 === 0
      const hash = createHash('sha256')
      const taken: Uint8Array[] = []
      const take = (piece: Uint8Array): void => {
        if (seen.has(piece.buffer)) wrong.push('a piece shares its buffer with another')
        if (piece.byteLength !== piece.buffer.byteLength) wrong.push('a piece is a part of its buffer')
        seen.add(piece.buffer)
        taken.push(piece)
        hash.update(piece)
      }
      const consumeLater = async (piece: Uint8Array): Promise<void> => {
        await new Promise((resolve) => setImmediate(resolve))
        take(piece)
      }
      await readSteadily(request, signal, 60_000)(isSlow ? consumeLater : take)
      if (taken.some(({ length }) => length !== 0)) wrong.push('a piece is not freed')
      response.setHeader('sha256', hash.digest('hex')).end()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    try {
      const socket = transports[kind].open((server.address() as AddressInfo).port)
      socket.write(Buffer.concat(bodies.map((body, at) => encodeRequest(body, chunkBytes, at === bodies.length - 1))))
      const answers = await text(socket)
      expect([...answers.matchAll(/^sha256: (\w+)/gm)].map(([, digest]) => digest)).toEqual(bodies.map(sha256))
      expect(new Set(wrong)).toEqual(new Set())
      expect(seen.size).toBeGreaterThan(bodies.length)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})

it('keeps a part of a larger buffer unchanged', () => {
  const buffer = Buffer.from(new ArrayBuffer(100)).fill(1)
  freePiece(buffer.subarray(0, 50))
  freePiece(buffer.subarray(50))
  freePiece(Buffer.from('in the pool of Node'))
  expect(buffer.every((byte) => byte === 1)).toBe(true)
  freePiece(buffer)
  expect(buffer.length).toBe(0)
})
