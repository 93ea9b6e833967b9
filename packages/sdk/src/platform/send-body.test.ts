import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { freeOnceSent } from '../local/sent-pieces.ts'
import { sendStreamed } from './send-body.ts'

/** More than the buffers of both sockets hold. */
const pieceBytes = 64 * 1024 * 1024

test('frees a piece once it is sent, and not before', async () => {
  const piece = new Uint8Array(pieceBytes).fill(7)
  const kept = new Uint8Array(16).fill(8)
  const arrived = Promise.withResolvers<IncomingMessage>()
  const received: Buffer[] = []
  const server = createServer((request, response) => {
    arrived.resolve(request)
    request.on('end', () => response.end('stored'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    let isReadOn = false
    const body = async function* () {
      freeOnceSent(piece)
      yield piece
      // Like a source with more to do, while a piece is still in transit.
      isReadOn = true
      yield kept
    }
    const answer = sendStreamed({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      headers: {},
      contentLength: pieceBytes + kept.length,
      body: body(),
      signal: AbortSignal.timeout(60_000),
    })
    const request = await arrived.promise
    expect({ isReadOn, bytes: piece.length }).toEqual({ isReadOn: true, bytes: pieceBytes })
    request.on('data', (bytes: Buffer) => received.push(bytes))
    expect((await answer).text).toBe('stored')
    const all = Buffer.concat(received)
    expect(all.length).toBe(pieceBytes + kept.length)
    expect(all.subarray(0, pieceBytes).every((byte) => byte === 7)).toBe(true)
    expect({ freed: piece.length, kept: kept.length }).toEqual({ freed: 0, kept: 16 })
  } finally {
    server.close()
  }
})

test('reads nothing after an empty piece before everything preceding it is sent', async () => {
  const arrived = Promise.withResolvers<IncomingMessage>()
  const server = createServer((request, response) => {
    arrived.resolve(request)
    request.on('end', () => response.end('stored'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    let isReadOn = false
    const body = async function* () {
      yield new Uint8Array(pieceBytes)
      yield new Uint8Array(0)
      isReadOn = true
      yield new Uint8Array(16)
    }
    const answer = sendStreamed({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      headers: {},
      contentLength: undefined,
      body: body(),
      signal: AbortSignal.timeout(60_000),
    })
    const request = await arrived.promise
    // The server reads nothing yet.
    await setTimeout(100)
    expect(isReadOn).toBe(false)
    let bytes = 0
    request.on('data', (piece: Buffer) => {
      bytes += piece.length
    })
    expect((await answer).text).toBe('stored')
    expect({ isReadOn, bytes }).toEqual({ isReadOn: true, bytes: pieceBytes + 16 })
  } finally {
    server.close()
  }
})

test('connects when the first piece is available, because a service closes an idle connection', async () => {
  const server = createServer((request, response) => request.resume().on('end', () => response.end('stored')))
  let connections = 0
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  try {
    let before: number | undefined
    const slowly = async function* () {
      // Takes long to read what the service has. An earlier connection would be accepted first.
      await (await fetch(url)).text()
      before = connections
      yield new Uint8Array(8)
    }
    const signal = AbortSignal.timeout(60_000)
    expect((await sendStreamed({ url, headers: {}, contentLength: 8, body: slowly(), signal })).text).toBe('stored')
    expect(before).toBe(1)

    const stop = new AbortController()
    const closed = Promise.withResolvers<void>()
    const read = Promise.withResolvers<void>()
    const stopped = async function* () {
      try {
        stop.abort(new Error('stopped'))
        await read.promise
        yield new Uint8Array(8)
      } finally {
        closed.resolve()
      }
    }
    const sending = sendStreamed({ url, headers: {}, contentLength: 8, body: stopped(), signal: stop.signal })
    await expect(sending).rejects.toThrow('stopped')
    read.resolve()
    await closed.promise
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('closes a connection on which an upload was rejected, even if the server keeps it open', async () => {
  const server = createServer((_request, response) => response.writeHead(507).end('full'))
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const closed = Promise.withResolvers<void>()
    server.on('connection', (socket) => socket.on('close', closed.resolve))
    let isEnded = false
    const body = async function* () {
      try {
        for (;;) yield new Uint8Array(1024 * 1024)
      } finally {
        isEnded = true
      }
    }
    const { port } = server.address() as AddressInfo
    const answer = await sendStreamed({
      url: `http://127.0.0.1:${port}/`,
      headers: {},
      contentLength: undefined,
      body: body(),
      signal: new AbortController().signal,
    })
    expect(answer).toMatchObject({ status: 507, text: 'full' })
    await closed.promise
    expect(isEnded).toBe(true)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('closes the source of a request that is aborted while it connects', async () => {
  const stop = new AbortController()
  const closed = Promise.withResolvers<void>()
  const body = async function* () {
    try {
      yield new Uint8Array(pieceBytes)
      // The connection takes a turn of the event loop.
      stop.abort()
      yield new Uint8Array(1)
      throw new Error('read after the abort')
    } finally {
      closed.resolve()
    }
  }
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const sending = sendStreamed({ url, headers: {}, contentLength: undefined, body: body(), signal: stop.signal })
    await expect(sending).rejects.toMatchObject({ name: 'AbortError' })
    await closed.promise
  } finally {
    server.close()
  }
})
