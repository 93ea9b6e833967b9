import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLogGate } from '@cairn/service'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendPayload } from './send-payload.ts'

const pieceBytes = 1_048_576
const pieces = 24
const app = Fastify()
const whole = createHash('sha256')

/** Pieces that differ, all in the same buffer. `failAt` throws in place of a piece. */
async function* read(failAt = pieces) {
  const buffer = new Uint8Array(pieceBytes)
  for (let number = 0; number < pieces; number++) {
    if (number === failAt) throw new Error('the disk failed')
    yield buffer.fill(number)
  }
}

beforeAll(async () => {
  for await (const piece of read()) whole.update(piece)
  app.decorate('cairnFailures', createLogGate({ clock: { now: () => Date.now() }, log: app.log }))
  app.get<{ Querystring: { failAt?: string } }>('/', (request, reply) => {
    const { failAt } = request.query
    reply.header('content-length', pieces * pieceBytes)
    return sendPayload(request, reply, read(failAt === undefined ? undefined : Number(failAt)))
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

async function request(path: string, method = 'GET'): Promise<IncomingMessage> {
  const { port } = app.server.address() as AddressInfo
  const [response]: IncomingMessage[] = await once(get({ port, path, method }), 'response')
  if (response === undefined) throw new Error('there was no response')
  return response
}

test('a buffer is reused only when its bytes have left, however slowly they are read', async () => {
  const response = await request('/')
  const received = createHash('sha256')
  for await (const bytes of response) {
    received.update(bytes)
    // The source would be far ahead by now, if it did not wait.
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(received.digest('hex')).toBe(whole.digest('hex'))
})

test('a source that fails first is answered, and one that fails later breaks the connection', async () => {
  expect((await request('/?failAt=0')).statusCode).toBe(500)
  const response = await request('/?failAt=3')
  expect(response.statusCode).toBe(200)
  await expect(response.toArray()).rejects.toThrow('aborted')
})

test('a request for the headers has the length and no body', async () => {
  const response = await request('/', 'HEAD')
  expect(response.headers['content-length']).toBe(String(pieces * pieceBytes))
  expect(await response.toArray()).toEqual([])
})
