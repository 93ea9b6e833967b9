import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { CairnError } from '@cairn/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readSteadily } from './read-steadily.ts'

let server: Server
let socket: Socket
let request: Promise<IncomingMessage>

beforeEach(async () => {
  server = createServer()
  request = new Promise((resolve) => server.on('request', resolve))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
})
afterEach(() => {
  socket.destroy()
  server.close()
})

const readAll = (body: Readable, signal = new AbortController().signal) => readSteadily(body, signal, 60_000)
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const turn = () => new Promise((resolve) => setImmediate(resolve))

it('ends only when the last piece is taken, and pauses the sender until then', async () => {
  socket.write(`${chunk('one')}${chunk('two')}${chunk('three')}0\r\n\r\n`)
  const taken: string[] = []
  let inHand = 0
  await readAll(await request)(async (piece) => {
    expect(++inHand).toBe(1)
    for (let turns = 0; turns < 5; turns++) await turn()
    inHand--
    taken.push(`${Buffer.from(piece)}`)
  })
  expect(taken.join('')).toBe('onetwothree')
})

it('fails with the error of the consumer, at once or later, and sends no more', async () => {
  socket.write(`${chunk('one')}${chunk('two')}`)
  const body = await request
  await expect(
    readAll(body)(() => {
      throw new CairnError('QUOTA_EXCEEDED')
    }),
  ).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
  expect(body.destroyed).toBe(false)
})

it('reports an incomplete upload when the sender disconnects', async () => {
  socket.write(chunk('one'))
  const reading = readAll(await request)(() => socket.destroy() && undefined)
  await expect(reading).rejects.toMatchObject({
    code: 'INVALID_MULTIPART',
    message: expect.stringContaining('interrupted'),
  })
})

it('stops with the reason of the signal, after the current piece', async () => {
  socket.write(chunk('one'))
  const stop = new AbortController()
  let isTaken = false
  const reading = readAll(
    await request,
    stop.signal,
  )(async () => {
    stop.abort(new CairnError('UNAVAILABLE'))
    await turn()
    isTaken = true
  })
  await expect(reading).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(isTaken).toBe(true)
})

it('waits for the last piece to be taken, although all of it was there at once', async () => {
  const body = new Readable({ read: () => undefined })
  body.push('all of it')
  body.push(null)
  const taken: string[] = []
  await readAll(body)(async (piece) => {
    for (let turns = 0; turns < 5; turns++) await turn()
    taken.push(`${Buffer.from(piece)}`)
  })
  expect(taken).toEqual(['all of it'])
})
