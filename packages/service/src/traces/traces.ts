import { CairnError } from '@cairn/protocol'
import type { LogGate } from '../log-gate.ts'
import type { Span, SpanStart } from './span.ts'
import type { TraceConfig } from './trace-settings.ts'

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

/**
 * Opens the connection to a collector of traces.
 * @returns undefined if traces are off; nothing of OpenTelemetry is loaded then
 * @throws CairnError INVALID_CONFIGURATION if its packages are not installed
 */
export async function openTraces(config: TraceConfig | undefined, service: TracedService): Promise<Traces | undefined> {
  if (config === undefined) return undefined
  const { createOtlpTraces } = await import('./otlp-traces.ts').catch((cause: unknown) => {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: 'CAIRN_TRACES_URL is set, but the packages that send traces are not installed',
      hint: 'Run `npm run add -- traces`, or remove the setting.',
      cause,
    })
  })
  return createOtlpTraces(config, service)
}
