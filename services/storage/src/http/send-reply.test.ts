import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLogGate } from '@cairn/service'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendReply } from './send-reply.ts'

const pieceBytes = 1_048_576
const pieces = 24
const app = Fastify()
const whole = createHash('sha256')

/** Pieces that differ, all in the same buffer. `failAt` throws instead of a piece. */
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
    reply.header('x-cairn-test', 'kept')
    const headers = { 'content-length': String(pieces * pieceBytes) }
    if (request.method === 'HEAD') return sendReply(request, reply, { status: 200, headers })
    const body = () => read(failAt === undefined ? undefined : Number(failAt))
    return sendReply(request, reply, { status: 200, headers, body }, { reusesBuffer: true })
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

test('reuses a buffer only after its bytes are sent, however slowly they are read', async () => {
  const response = await request('/')
  expect(response.headers['x-cairn-test']).toBe('kept')
  const received = createHash('sha256')
  for await (const bytes of response) {
    received.update(bytes)
    // The source would be far ahead by now if it did not wait.
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(received.digest('hex')).toBe(whole.digest('hex'))
})

test('a source that fails first gets an error response, and one that fails later breaks the connection', async () => {
  expect((await request('/?failAt=0')).statusCode).toBe(500)
  const response = await request('/?failAt=3')
  expect(response.statusCode).toBe(200)
  await expect(response.toArray()).rejects.toThrow('aborted')
})

test('the response to a HEAD has the length and no body', async () => {
  const response = await request('/', 'HEAD')
  expect(response.headers['content-length']).toBe(String(pieces * pieceBytes))
  expect(await response.toArray()).toEqual([])
})
