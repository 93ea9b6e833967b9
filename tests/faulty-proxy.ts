import {
  type ClientRequest,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** What a network, or a machine in it, does to one request. */
export type Fault =
  /** Answers in place of the service, which sees nothing. */
  | { kind: 'refuse'; status: number; headers?: Record<string, string>; body?: string }
  /** Resets the connection once so many bytes of the request body have passed. */
  | { kind: 'cut request'; afterBytes: number }
  /** Passes the request on, and resets the connection once the whole answer is there; with a status, answers with it. */
  | { kind: 'lose answer'; status?: number }
  /** Resets the connection after so many bytes of the body of the answer, and once `until` is fulfilled: bytes on their way are lost. */
  | { kind: 'cut answer'; afterBytes: number; until?: Promise<void> }
  /** Sends less of the body than there is, as if it was all. */
  | { kind: 'shorten answer'; afterBytes: number }
  /** Changes one byte of the body of the answer. */
  | { kind: 'change answer'; atByte: number }
  /** Delivers the request twice, one after the other, and passes on the second answer. */
  | { kind: 'repeat request' }
  /** Sends the start of the body of the answer in pieces of so many bytes, with a pause after each. */
  | { kind: 'split answer'; pieceBytes: number; pauseMs: number }
  /** Passes the start of the request body on in pieces of so many bytes, with a pause after each. */
  | { kind: 'split request'; pieceBytes: number; pauseMs: number }
  /** Nothing passes for a while: before the request is passed on, or after the first byte of the answer. */
  | { kind: 'stall'; of: 'request' | 'answer'; ms: number }
  /** Passes the answer on, and closes the connection although it could be used again. */
  | { kind: 'close' }
  /** Writes a raw text to the connection and keeps it open. */
  | { kind: 'raw'; text: string; repeats: number }

/** A request as the proxy sees it. */
type SeenRequest = { method: string; path: string; headers: IncomingHttpHeaders }

/** A proxy for HTTP that does to requests what networks do. */
type FaultyProxy = AsyncDisposable & {
  readonly url: string
  /** Number of requests so far. */
  readonly requests: number
}

type Exchange = { request: IncomingMessage; response: ServerResponse; send: () => ClientRequest }

/**
 * Starts a proxy in front of a service, on a free port.
 * @param choose returns what happens to a request; undefined to pass it on
 */
export async function startFaultyProxy(
  target: string,
  choose: (seen: SeenRequest) => Fault | undefined,
): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target)
  let requests = 0
  const stop = new AbortController()
  const server = createServer({ requestTimeout: 0, headersTimeout: 0 }, (request, response) => {
    requests++
    const { method = 'GET', url: path = '/', headers } = request
    const fault = choose({ method, path, headers })
    const send = () => {
      const sent = sendRequest({ host: hostname, port, method, path, headers, agent: false })
      // A client that left ends the request, as without a machine between.
      response.on('close', () => response.writableFinished || sent.destroy())
      return sent
    }
    response.on('error', () => undefined)
    request.on('error', () => undefined)
    handle({ request, response, send }, fault, stop.signal).catch(() => reset(request))
  })
  server.on('checkContinue', (request, response) => {
    response.writeContinue()
    server.emit('request', request, response)
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}

function reset({ socket }: IncomingMessage): void {
  if (socket instanceof Socket) socket.resetAndDestroy()
}

async function handle(exchange: Exchange, fault: Fault | undefined, stop: AbortSignal): Promise<void> {
  const { request, response } = exchange
  const wait = (ms: number) => pause(ms, undefined, { signal: stop })
  if (fault?.kind === 'refuse') {
    response.writeHead(fault.status, { connection: 'close', ...fault.headers })
    response.end(fault.body ?? '<html>an error page of a machine between</html>')
    request.resume()
    return
  }
  if (fault?.kind === 'raw') {
    request.resume()
    for (let at = 0; at < fault.repeats && !request.socket.destroyed; at++) {
      if (!request.socket.write(fault.text)) await wait(1)
    }
    return
  }
  if (fault?.kind === 'stall' && fault.of === 'request') await wait(fault.ms)
  if (fault?.kind === 'repeat request') {
    const body = await readAll(request)
    await readAll(await answerOf(exchange.send(), [body]))
    return passOn(await answerOf(exchange.send(), [body]), exchange, undefined, wait)
  }
  const answer = await answerOf(exchange.send(), bodyOf(request, fault, wait))
  if (fault?.kind !== 'lose answer') return passOn(answer, exchange, fault, wait)
  await readAll(answer)
  if (fault.status === undefined) return reset(request)
  response.writeHead(fault.status, { connection: 'close' }).end('<html>an error page of a machine between</html>')
}

/** Pieces after which the rest of a body passes as it comes: each takes a millisecond at least. */
const maxPieces = 500

function* split(bytes: Buffer, passed: number, pieceBytes: number): Generator<Buffer, void, undefined> {
  const end = Math.min(bytes.length, maxPieces * pieceBytes - passed)
  let at = 0
  for (; at < end; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
  if (at < bytes.length) yield bytes.subarray(at)
}

type Wait = (ms: number) => Promise<unknown>

async function* bodyOf(request: IncomingMessage, fault: Fault | undefined, wait: Wait): AsyncGenerator<Buffer> {
  let passed = 0
  // A service may answer before it has read all of it; the client must still get the answer.
  const pieces: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false })
  for await (const piece of pieces) {
    if (fault?.kind === 'split request') {
      for (const part of split(piece, passed, fault.pieceBytes)) {
        yield part
        await wait(fault.pauseMs)
      }
      passed += piece.length
      continue
    }
    if (fault?.kind === 'cut request' && passed + piece.length > fault.afterBytes) {
      yield piece.subarray(0, fault.afterBytes - passed)
      throw new Error('cut')
    }
    passed += piece.length
    yield piece
  }
  if (fault?.kind === 'cut request') throw new Error('cut')
}

/** Sends a request with its body, and returns the answer, which may come before the end of the body. */
function answerOf(sent: ClientRequest, body: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<IncomingMessage> {
  return new Promise((done, fail) => {
    sent.on('error', fail)
    sent.on('response', done)
    const pump = async () => {
      for await (const piece of body) {
        if (sent.destroyed) return
        if (!sent.write(piece)) await untilDrained(sent)
      }
      sent.end()
    }
    pump().catch((error: unknown) => {
      sent.destroy()
      fail(error)
    })
  })
}

/** Waits until a stream takes more, or is closed. */
function untilDrained(stream: ClientRequest | ServerResponse): Promise<void> {
  return new Promise((go) => {
    const leave = () => {
      stream.off('drain', leave).off('close', leave)
      go()
    }
    stream.on('drain', leave).on('close', leave)
  })
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of message as AsyncIterable<Buffer>) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function passOn(
  answer: IncomingMessage,
  { request, response }: Exchange,
  fault: Fault | undefined,
  wait: Wait,
): Promise<void> {
  const { 'transfer-encoding': _encoding, connection: _connection, 'keep-alive': _alive, ...headers } = answer.headers
  const closes = fault?.kind === 'close' ? { connection: 'close' } : {}
  if (fault?.kind === 'shorten answer') delete headers['content-length']
  response.writeHead(answer.statusCode ?? 502, { ...headers, ...closes })
  response.flushHeaders()
  let passed = 0
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      if (response.destroyed) break
      const end = passed + piece.length
      if (fault?.kind === 'cut answer' && end >= fault.afterBytes) {
        response.write(piece.subarray(0, Math.max(0, fault.afterBytes - passed)))
        await (fault.until ?? wait(5))
        return reset(request)
      }
      if (fault?.kind === 'shorten answer' && end > fault.afterBytes) {
        response.end(piece.subarray(0, Math.max(0, fault.afterBytes - passed)))
        return
      }
      if (fault?.kind === 'change answer' && passed <= fault.atByte && fault.atByte < end) {
        const at = fault.atByte - passed
        piece.writeUInt8(piece.readUInt8(at) ^ 0x10, at)
      }
      if (fault?.kind === 'split answer') {
        for (const part of split(piece, passed, fault.pieceBytes)) {
          if (response.destroyed) break
          response.write(part)
          await wait(fault.pauseMs)
        }
      } else if (fault?.kind === 'stall' && passed === 0) {
        response.write(piece.subarray(0, 1))
        await wait(fault.ms)
        response.write(piece.subarray(1))
      } else if (!response.write(piece)) {
        await untilDrained(response)
      }
      passed = end
    }
  } finally {
    answer.destroy()
  }
  response.end()
  request.resume()
}
