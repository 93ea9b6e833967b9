import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** Statuses of refusals, and their codes. */
const refusals = { 301: 'PermanentRedirect', 500: 'InternalError', 503: 'SlowDown' } as const

/** A fault injected into one request. */
export type Fault =
  /** The server never receives the request. */
  | { kind: 'refuse'; status: keyof typeof refusals }
  | { kind: 'reset' }
  /** The server executes the request, and its answer is lost. */
  | { kind: 'lose' }
  /** Half of the answer's body arrives. */
  | { kind: 'cut' }
  /** The answer arrives late. */
  | { kind: 'delay'; ms: number }
  /** The server receives the request later. */
  | { kind: 'hold'; until: Promise<void> }
  /** No answer ever arrives. */
  | { kind: 'hang' }

/**
 * A proxy in front of an S3 server. It forwards requests unchanged, so their signatures stay valid, and whole: it knows the length of
 * an answer before it cuts it. `tests/faulty-proxy.ts` is for streams.
 */
export type S3Proxy = AsyncDisposable & {
  readonly url: string
  /** Selects the fault for each request. Defaults to none. */
  plan: (request: { method: string; target: string }) => Fault | undefined
  /** Faults that were injected, by kind. */
  readonly injected: Map<Fault['kind'], number>
}

const everyFault: readonly Fault[] = [
  { kind: 'lose' },
  { kind: 'refuse', status: 500 },
  { kind: 'cut' },
  { kind: 'reset' },
  { kind: 'delay', ms: 20 },
  { kind: 'refuse', status: 503 },
]

/** Injects the faults in turn, one into every fifth request. */
export function failEveryFifth(proxy: S3Proxy): void {
  let count = 0
  proxy.plan = () => (++count % 5 === 0 ? everyFault[(count / 5) % everyFault.length] : undefined)
}

/** Starts the proxy on a free port. */
export async function startS3Proxy(upstream: string): Promise<S3Proxy> {
  const injected: S3Proxy['injected'] = new Map()

  const forward = async (request: IncomingMessage, body: Buffer) => {
    const { method, url = '', headers } = request
    const answered = Promise.withResolvers<IncomingMessage>()
    const sent = send(new URL(url, upstream), { method, headers }, answered.resolve)
    sent.once('error', answered.reject)
    sent.end(body)
    const answer = await answered.promise
    return { answer, bytes: await buffer(answer) }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request)
    const fault = proxy.plan({ method: request.method ?? '', target: request.url ?? '' })
    if (fault !== undefined) injected.set(fault.kind, (injected.get(fault.kind) ?? 0) + 1)
    switch (fault?.kind) {
      case 'refuse': {
        const code = refusals[fault.status]
        response.writeHead(fault.status, { 'content-type': 'application/xml' })
        response.end(`<Error><Code>${code}</Code><Message>Please try again.</Message></Error>`)
        return
      }
      case 'reset':
        response.destroy()
        return
      case 'hang':
        return
      case 'hold':
        await fault.until
        break
      case 'delay':
        await new Promise((done) => setTimeout(done, fault.ms))
    }
    const { answer, bytes } = await forward(request, body)
    if (fault?.kind === 'lose') {
      response.destroy()
      return
    }
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    if (fault?.kind !== 'cut' || request.method === 'HEAD') {
      response.end(bytes)
      return
    }
    // The header declares the full length.
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const proxy: S3Proxy = {
    url: `http://127.0.0.1:${port}`,
    plan: () => undefined,
    injected,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return proxy
}
