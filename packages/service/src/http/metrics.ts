import { errorTable } from '@cairn/protocol'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** The metrics of one service, in the Prometheus text format. */
export type Metrics = {
  readonly registry: Registry
  readonly requests: Counter<'call' | 'status'>
  readonly seconds: Histogram<'call'>
  readonly sentBytes: Counter<'call'>
  readonly errors: Counter<'code'>
  readonly clientsGone: Counter<'call'>
  readonly refusedConnections: Counter
}

/**
 * How often the delay of the event loop is measured, in ms. The delays of `nodejs_eventloop_lag_*` include it. Each
 * measurement wakes the process: every 10 ms, the library's own value, costs an idle service most of its processor time.
 */
const eventLoopMeasuredMs = 100

/** Creates a separate registry, so that several services can share one process. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopMeasuredMs })
  const registers = [registry]
  const errors = new Counter({ name: 'cairn_errors_total', help: 'Errors answered', labelNames: ['code'], registers })
  // A series that begins at 1 has no increase, so that an alert would miss the first error.
  for (const [code, { status }] of Object.entries(errorTable)) if (status >= 500) errors.inc({ code }, 0)
  return {
    registry,
    requests: new Counter({
      name: 'cairn_requests_total',
      help: 'Requests answered',
      labelNames: ['call', 'status'],
      registers,
    }),
    seconds: new Histogram({
      name: 'cairn_request_seconds',
      help: 'Time from the request headers to the end of the response',
      labelNames: ['call'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600],
      registers,
    }),
    sentBytes: new Counter({
      name: 'cairn_sent_bytes_total',
      help: 'Bytes of responses, headers included, written to connections',
      labelNames: ['call'],
      registers,
    }),
    errors,
    clientsGone: new Counter({
      name: 'cairn_clients_gone_total',
      help: 'Requests whose connection closed before the response was complete',
      labelNames: ['call'],
      registers,
    }),
    refusedConnections: new Counter({
      name: 'cairn_refused_connections_total',
      help: 'Connections closed because the limit per address or in total was reached',
      registers,
    }),
  }
}
