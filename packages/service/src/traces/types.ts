import type { LogGate } from '../log-gate.ts'
import type { Span, SpanStart } from './span.ts'

/** Starts the spans of requests, and sends them. Disposing sends the last ones. */
export type Traces = AsyncDisposable & {
  /**
   * Starts the span of a request.
   * @param traceparent the header of the request; an invalid one starts a new trace
   */
  start(name: string, options: SpanStart & { traceparent: string | undefined }): Span
}

/** The service that sends traces. */
export type TracedService = {
  readonly name: string
  readonly version: string
  /** Identifies this process among the replicas of the service. */
  readonly instance: string
  readonly failures: LogGate
}
