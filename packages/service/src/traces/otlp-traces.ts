import { CairnError } from '@cairn/protocol'
import {
  SpanKind as OtelKind,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { LogGate } from '../log-gate.ts'
import type { Span, SpanStart } from './span.ts'
import { traceFetches } from './trace-fetches.ts'
import type { TraceConfig } from './trace-settings.ts'
import type { TracedService, Traces } from './types.ts'

/** Time limit in ms for a collector to take a batch. A stopping service waits no longer for the last one. */
const sendTimeoutMs = 2000

const kinds = { server: OtelKind.SERVER, client: OtelKind.CLIENT, internal: OtelKind.INTERNAL } as const

/** Sends traces by OTLP over HTTP. Up to 2,048 spans wait for the collector; more are dropped. */
export function createOtlpTraces({ url, headers, share }: TraceConfig, service: TracedService): Traces {
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: sendTimeoutMs })
  const provider = new TracerProvider({
    // Decided only by the trace: the flag in a stranger's header must not decide what is sent.
    sampler: new TraceIdRatioBasedSampler(share),
    resource: resourceFromAttributes({
      'service.namespace': 'cairn',
      'service.name': service.name,
      'service.version': service.version,
      'service.instance.id': service.instance,
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reportFailures(exporter, service.failures),
        exportTimeoutMillis: sendTimeoutMs,
      }),
    ],
  })
  const stopFetches = traceFetches()
  const tracer = provider.getTracer('cairn', service.version)
  return {
    start(name, { traceparent, ...options }) {
      const parent = traceparent === undefined ? null : parseTraceParent(traceparent)
      const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true })
      return startSpan(tracer, name, options, context)
    },
    async [Symbol.asyncDispose]() {
      stopFetches()
      // A batch that fails is reported by the exporter below; a stopping service does not wait for a collector.
      await provider.shutdown().catch(() => undefined)
    },
  }
}

function startSpan(tracer: Tracer, name: string, { kind, facts }: SpanStart, context: typeof ROOT_CONTEXT): Span {
  const span = tracer.startSpan(
    name,
    { kind: kinds[kind], ...(facts === undefined ? {} : { attributes: facts }) },
    context,
  )
  const { traceId } = span.spanContext()
  return {
    traceId,
    traceparent: formatTraceParent(span),
    start: (child, options) => startSpan(tracer, child, options, trace.setSpan(ROOT_CONTEXT, span)),
    add: (more) => span.setAttributes(more),
    fail: (error) => {
      // Code and type only: messages may name files of users.
      span.setAttribute(
        'error.type',
        CairnError.is(error) ? error.code : error instanceof Error ? error.name : 'unknown',
      )
      span.setStatus({ code: SpanStatusCode.ERROR })
    },
    end: () => span.end(),
  }
}

/** @see https://www.w3.org/TR/trace-context/#traceparent-header */
function formatTraceParent(span: OtelSpan): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01'}`
}

/** An unreachable collector shows in the log: at first, and then once a minute. */
function reportFailures(exporter: SpanExporter, failures: LogGate): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) failures.recovered('traces', 'traces are sent again')
        else
          failures.failed(
            'traces',
            result.error ?? new Error('the collector refused the traces'),
            'traces were not sent',
          )
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush === undefined ? {} : { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  }
}
