import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import pino from 'pino'
import { readKeyRouterConfig } from './config.ts'
import { type KeyRouter, startRouter } from './start-router.ts'

/** A request to one of the simulated nodes. */
export type Seen = { method: string; path: string; authorization: string | undefined; for: unknown; body: string }
/** A custom answer of one of the simulated nodes. */
export type PlaceAnswer = (request: IncomingMessage, body: string, response: ServerResponse) => void

/** A router in front of five simulated nodes that answer as nodes do, or as a test specifies. */
export type RouterBefore = AsyncDisposable & {
  readonly router: KeyRouter
  readonly seen: Seen[][]
  /** One per simulated node; undefined answers as a node does. */
  readonly answers: (PlaceAnswer | undefined)[]
  readonly lines: readonly string[]
  /** Offset of the router's clock. */
  skewMs: number
  call(method: string, path: string, token?: string, body?: unknown): Promise<RouterAnswer>
}

export type RouterAnswer = {
  status: number
  code: string | null
  text: string
  json: ReturnType<typeof JSON.parse>
}

function answerAsNode(number: number, request: IncomingMessage, body: string, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json')
  const path = request.url ?? ''
  if (path.startsWith('/api/keys/nonce/')) {
    response.end(JSON.stringify({ node: number, nonce: String(number).repeat(32), network: 'local' }))
  } else if (path.startsWith('/api/keys/session/')) {
    const expiresAt = Date.now() + 60_000
    response.end(
      JSON.stringify({
        node: number,
        token: `aa.bb.token${number}`,
        refreshToken: `id.refresh${number}`,
        expiresAt,
        refreshExpiresAt: expiresAt,
      }),
    )
  } else if (path.startsWith('/api/retrieveSharedKey/')) {
    response.end(JSON.stringify({ payload: { key: String(number), index: body.length.toString() } }))
  } else response.end(JSON.stringify({ message: 'success' }))
}

export async function startRouterBefore(): Promise<RouterBefore> {
  const seen: Seen[][] = [[], [], [], [], []]
  const answers: (PlaceAnswer | undefined)[] = [undefined, undefined, undefined, undefined, undefined]
  const servers: Server[] = []
  const urls: string[] = []
  const lines: string[] = []
  for (const i of [0, 1, 2, 3, 4]) {
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (piece) => {
        body += piece
      })
      request.on('end', () => {
        // The router itself checks periodically whether a node is running.
        if (request.url !== '/healthz') {
          seen[i]?.push({
            method: request.method ?? '',
            path: request.url ?? '',
            authorization: request.headers.authorization,
            for: request.headers['x-forwarded-for'],
            body,
          })
        }
        const other = answers[i]
        if (other === undefined) answerAsNode(i + 1, request, body, response)
        else other(request, body, response)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    servers.push(server)
    urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  }
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const config = readKeyRouterConfig({
    CAIRN_KEYROUTER_PORT: '0',
    CAIRN_KEYROUTER_NODES: urls.join(','),
    CAIRN_RATE_FACTOR: '0',
  })
  const before = {
    seen,
    answers,
    lines,
    skewMs: 0,
  }
  const router = await startRouter(config, {
    clock: { now: () => Date.now() + before.skewMs },
    log: pino({ level: 'trace' }, sink),
  })
  return Object.assign(before, {
    router,
    async call(method: string, path: string, token?: string, body?: unknown): Promise<RouterAnswer> {
      const answer = await fetch(`${router.url}${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      return { status: answer.status, code: answer.headers.get('x-cairn-code'), text, json: JSON.parse(text) }
    },
    async [Symbol.asyncDispose]() {
      await router[Symbol.asyncDispose]()
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
    },
  })
}
