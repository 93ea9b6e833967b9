import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** The figures of one service, in Prometheus' text format. */
export type Metrics = {
  readonly registry: Registry
  readonly requests: Counter<'call' | 'status'>
  readonly seconds: Histogram<'call'>
  readonly errors: Counter<'code'>
  readonly clientsGone: Counter<'call'>
  readonly refusedConnections: Counter
}

/** Makes a registry of its own, so that several services live in one process. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
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
      help: 'Time from the head of a request to the end of its answer',
      labelNames: ['call'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600],
      registers,
    }),
    errors: new Counter({ name: 'cairn_errors_total', help: 'Errors answered', labelNames: ['code'], registers }),
    clientsGone: new Counter({
      name: 'cairn_clients_gone_total',
      help: 'Requests whose connection closed before their answer was out',
      labelNames: ['call'],
      registers,
    }),
    refusedConnections: new Counter({
      name: 'cairn_refused_connections_total',
      help: 'Connections closed at once because there were too many, of one address or in all',
      registers,
    }),
  }
}
