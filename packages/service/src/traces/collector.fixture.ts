import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import * as v from 'valibot'

const textOrNumber = v.union([v.string(), v.number(), v.boolean()])
const attribute = v.object({
  key: v.string(),
  value: v.pipe(
    v.record(v.string(), textOrNumber),
    v.transform((value) => Object.values(value)[0]),
  ),
})
const attributes = v.pipe(
  v.array(attribute),
  v.transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, value]))),
)
/** The parts of an OTLP request that tests read. @see https://opentelemetry.io/docs/specs/otlp/ */
const traceRequest = v.object({
  resourceSpans: v.array(
    v.object({
      resource: v.object({ attributes }),
      scopeSpans: v.array(
        v.object({
          spans: v.array(
            v.object({
              traceId: v.string(),
              spanId: v.string(),
              parentSpanId: v.optional(v.string()),
              name: v.string(),
              kind: v.number(),
              attributes,
              status: v.object({ code: v.optional(v.number()) }),
            }),
          ),
        }),
      ),
    }),
  ),
})

/** A span as a collector receives it. */
export type SentSpan = v.InferOutput<
  typeof traceRequest
>['resourceSpans'][number]['scopeSpans'][number]['spans'][number] & {
  service: unknown
}

/** Receives traces by OTLP over HTTP. */
export type Collector = AsyncDisposable & {
  readonly url: string
  readonly spans: readonly SentSpan[]
  /** Everything received, as text. */
  readonly text: () => string
  readonly headers: readonly (string | undefined)[]
}

/** Starts a collector that keeps what it receives. */
export async function startCollector(): Promise<Collector> {
  const spans: SentSpan[] = []
  const texts: string[] = []
  const headers: (string | undefined)[] = []
  const server = createServer(async (request, response) => {
    const text = String(await buffer(request))
    texts.push(text)
    headers.push(request.headers.authorization)
    for (const { resource, scopeSpans } of v.parse(traceRequest, JSON.parse(text)).resourceSpans) {
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        spans.push({ ...span, service: resource.attributes['service.name'] })
      }
    }
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the collector has no port')
  return {
    url: `http://127.0.0.1:${address.port}/v1/traces`,
    spans,
    text: () => texts.join('\n'),
    headers,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
