import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { encodePieceCid, hashPiece } from '@cairn/pieces'
import type { LeafWindow, PieceStatus } from '@cairn/protocol'
import { readProviderConfig } from './config.ts'
import type { PullTimes } from './pieces/pulls.ts'
import { type Provider, type ProviderOptions, startProvider } from './start.ts'

export const testKey = 'k'.repeat(32)
/** Interval of status queries: polling without a pause would slow down what is awaited. */
export const pollMs = 5
export const quickPulls: PullTimes = { firstPauseMs: 1, maxPauseMs: 20, windowMs: 10_000 }

/** Pseudo-random bytes, the same for the same seed. */
export function bytesOf(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at++) bytes[at] = Math.imul(at + seed, 2_654_435_761) >>> 21
  return bytes
}

export async function cidOf(payload: Uint8Array): Promise<string> {
  return encodePieceCid((await hashPiece([payload])).piece)
}

type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void

/** A real HTTP source of payloads. `handlers` answer the next requests; without one, the source answers correctly. */
export type TestSource = AsyncDisposable & {
  readonly url: string
  /** Received requests with their headers, in order. */
  readonly requests: IncomingMessage[]
  /** Serves bytes at a path and returns the URL. */
  put(path: string, bytes: Uint8Array): string
  /** Handlers, one used per request. */
  readonly handlers: Handler[]
  /** Number of sent bytes, including headers. */
  sentBytes(): number
}

/** Begins the answer of a source: the whole payload, or the requested range. Returns its bytes. */
function beginAnswer(request: IncomingMessage, response: ServerResponse, body: Buffer): Buffer {
  const { range } = request.headers
  const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
  const start = Number(from)
  const bytes = body.subarray(start, to === '' ? body.length : Number(to) + 1)
  response.writeHead(range === undefined ? 200 : 206, {
    'content-length': bytes.length,
    ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${start + bytes.length - 1}/${body.length}` }),
  })
  return bytes
}

/** Answers as a source should. */
export const answerRightly: Handler = (request, response, body) => {
  response.end(beginAnswer(request, response, body))
}

/** Sends this many bytes from the requested offset, then cuts the connection. */
export const cutAfter =
  (count: number): Handler =>
  (request, response, body) => {
    response.write(beginAnswer(request, response, body).subarray(0, count), () => response.destroy())
  }

/** Sends this many bytes from the requested offset, then nothing more. */
export const stopAfter =
  (count: number): Handler =>
  (request, response, body) => {
    response.write(beginAnswer(request, response, body).subarray(0, count))
  }

export async function startTestSource(): Promise<TestSource> {
  const files = new Map<string, Buffer>()
  const handlers: Handler[] = []
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    const body = files.get(request.url ?? '')
    if (body === undefined) response.writeHead(404).end()
    else (handlers.shift() ?? answerRightly)(request, response, body)
  })
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    requests,
    handlers,
    sentBytes: () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    put(path, bytes) {
      files.set(path, Buffer.from(bytes))
      return url + path
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type TestProvider = Provider & {
  readonly home: string
  call(
    method: string,
    path: string,
    options?: { body?: unknown; key?: string | null; headers?: Record<string, string> },
  ): Promise<{
    status: number
    headers: Headers
    code: string | null
    json: unknown
    bytes: Buffer
  }>
  /** Its metrics, in Prometheus format. */
  metrics(): Promise<string>
  offer(
    piece: string,
    url: string,
    authorization?: string,
    content?: readonly LeafWindow[],
  ): Promise<{ status: number; code: string | null; json: unknown }>
  /** Waits until a piece is in one of the states. */
  until(piece: string, ...states: PieceStatus['state'][]): Promise<PieceStatus>
  /** Waits until this many bytes of a piece have arrived. */
  untilReceived(piece: string, bytes: number): Promise<void>
}

/** A provider for one test; its folder is removed with it unless one is given. */
export async function startTestProvider(
  sources: string,
  environment: Record<string, string> = {},
  options: ProviderOptions & { home?: string } = {},
): Promise<TestProvider> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'cairn-provider-')))
  const provider = await startProvider(
    readProviderConfig({
      CAIRN_PROVIDER_NAME: 'test',
      CAIRN_PROVIDER_HOME: home,
      CAIRN_PROVIDER_PORT: '0',
      CAIRN_PROVIDER_SECRET: 'ab'.repeat(32),
      CAIRN_PROVIDER_KEY: testKey,
      CAIRN_PROVIDER_SOURCES: sources,
      CAIRN_PROVIDER_SCRUB_BYTES_PER_SECOND: '0',
      CAIRN_LOG_LEVEL: 'silent',
      CAIRN_RATE_FACTOR: '0',
      CAIRN_STOP_TIMEOUT_SECONDS: '1',
      ...environment,
    }),
    { pullTimes: quickPulls, ...options },
  )
  const call: TestProvider['call'] = async (method, path, { body, key = testKey, headers = {} } = {}) => {
    const response = await fetch(provider.url + path, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const json: unknown = isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined
    return {
      status: response.status,
      headers: response.headers,
      code: response.headers.get('x-cairn-code'),
      json,
      bytes,
    }
  }
  const waitFor = async (piece: string, isThere: (status: PieceStatus) => boolean): Promise<PieceStatus> => {
    const limit = Date.now() + 60_000
    for (;;) {
      const { json } = await call('GET', `/pieces/${piece}`)
      const status = json as PieceStatus
      if (isThere(status)) return status
      if (Date.now() > limit) throw new Error(`still ${JSON.stringify(status)}`)
      await setTimeout(pollMs)
    }
  }
  return {
    ...provider,
    home,
    call,
    metrics: async () => (await fetch(provider.metricsUrl ?? '')).text(),
    offer: (piece, url, authorization, content) =>
      call('POST', '/pieces', { body: { piece, url, authorization, content } }),
    until: (piece, ...states) => waitFor(piece, ({ state }) => states.includes(state)),
    async untilReceived(piece, bytes) {
      await waitFor(piece, ({ receivedBytes }) => receivedBytes >= bytes)
    },
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      if (options.home === undefined) await rm(home, { recursive: true, force: true })
    },
  }
}

/** A new nonce per challenge. */
export function randomNonce(): string {
  return randomBytes(32).toString('hex')
}
