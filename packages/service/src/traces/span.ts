import { AsyncLocalStorage } from 'node:async_hooks'

/** Side of a call that a span describes, as OpenTelemetry names them. */
export type SpanKind = 'server' | 'client' | 'internal'

/** Facts about a span, by the names of the OpenTelemetry semantic conventions. Never contains secrets or content. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>

/** Kind and facts of a new span. */
export type SpanStart = { readonly kind: SpanKind; readonly facts?: SpanFacts }

/** One timed step of a request. It is sent when it ends. */
export type Span = {
  readonly traceId: string
  /** Value of the header `traceparent` (W3C Trace Context) for a request to another service. */
  readonly traceparent: string
  start(name: string, options: SpanStart): Span
  add(facts: SpanFacts): void
  /** Marks the span as failed. */
  fail(error: unknown): void
  end(): void
}

const current = new AsyncLocalStorage<Span>()

/** Returns the span of the running work; undefined if traces are off, or outside of requests. */
export function currentSpan(): Span | undefined {
  return current.getStore()
}

/** Runs work, including what it starts asynchronously, as part of a span. */
export function runInSpan<T>(span: Span, work: () => T): T {
  return current.run(span, work)
}

/** Binds a function to the current span, so that it can run later and elsewhere, such as in a queue. */
export function bindSpan<T>(work: () => T): () => T {
  const span = current.getStore()
  return span === undefined ? work : () => current.run(span, work)
}

/** Runs work in a child of the current span, and marks it as failed if the work fails. Without a span, only runs it. */
export async function traceStep<T>(name: string, options: SpanStart, work: () => Promise<T>): Promise<T> {
  const span = current.getStore()?.start(name, options)
  if (span === undefined) return work()
  try {
    return await current.run(span, work)
  } catch (error) {
    span.fail(error)
    throw error
  } finally {
    span.end()
  }
}

/**
 * Returns the headers that make a request to another service of the network part of the current trace. Strangers, such
 * as chains and sources of imports, do not get them.
 */
export function traceHeaders(): Record<string, string> {
  const span = current.getStore()
  return span === undefined ? {} : { traceparent: span.traceparent }
}
