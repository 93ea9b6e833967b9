import { CairnError } from '@cairn/protocol'
import { Counter, Gauge, Registry } from 'prom-client'
import { createLogGate, type GateLog } from './log-gate.ts'

/** Log messages for each kind of dependency when it fails and when it recovers. */
const messages = {
  chain: ['chain unavailable', 'chain available again'],
  endpoint: ['chain endpoint unavailable', 'chain endpoint available again'],
  feed: ['price feed unavailable', 'price feed available again'],
  provider: ['storage provider unavailable', 'storage provider available again'],
  keyNode: ['key node unavailable', 'key node available again'],
} as const
export type DependencyKind = keyof typeof messages

/**
 * Identifies a dependency. Chain endpoints are identified by their position in the settings: their URLs may contain
 * keys.
 */
export type DependencyId = { kind: DependencyKind; name: string; endpoint?: number }

/** An external system that the process depends on. */
export type Dependency = {
  readonly id: DependencyId
  /** Time of the last request in ms since 1970; undefined before the first. */
  readonly askedAt: number | undefined
  /** Records a success. */
  succeeded(): void
  /** Records a failure. Messages of CairnErrors are public; other errors are reported without their message. */
  failed(error: unknown): void
}

/** A dependency as `/readyz` shows it. */
export type DependencyReport = DependencyId & {
  /** `unknown` until the first request. */
  state: 'unknown' | 'ok' | 'failed'
  /** Reason of the failure. */
  reason?: string
  /** Time since which it is in this state, in ms since 1970. */
  since?: number
  lastSuccessAt?: number
}

/** The dependencies of one process: their state for readiness, metrics and the log. */
export type Dependencies = {
  /** Adds a dependency; returns the existing one for the same id. */
  add(id: DependencyId): Dependency
  report(): DependencyReport[]
}

type Entry = { id: DependencyId; report: DependencyReport; dependency: Dependency }

/**
 * Creates the register of the dependencies of a process. No dependency makes the process unready: a service without its
 * chain still stores and serves.
 * @param parts `registry`: metrics of the process. Defaults to a new one
 */
export function createDependencies({
  clock,
  log,
  registry = new Registry(),
}: {
  clock: { now(): number }
  log: GateLog
  registry?: Registry
}): Dependencies {
  const gate = createLogGate({ clock, log })
  const figures = createFigures(registry)
  const entries = new Map<string, Entry>()

  const make = (id: DependencyId): Entry => {
    const labels = { kind: id.kind, name: id.name, endpoint: id.endpoint === undefined ? '' : String(id.endpoint) }
    const key = keyOf(id)
    const [failure, recovery] = messages[id.kind]
    const { kind: _kind, ...details } = id
    const report: DependencyReport = { ...id, state: 'unknown' }
    let askedAt: number | undefined
    const enter = (state: 'ok' | 'failed'): void => {
      askedAt = clock.now()
      if (report.state !== state) report.since = askedAt
      report.state = state
      figures.up.set(labels, state === 'ok' ? 1 : 0)
    }
    figures.failures.inc(labels, 0)
    const dependency: Dependency = {
      id,
      get askedAt() {
        return askedAt
      },
      succeeded() {
        enter('ok')
        delete report.reason
        report.lastSuccessAt = clock.now()
        figures.lastSuccess.set(labels, report.lastSuccessAt / 1000)
        gate.recovered(key, recovery, details)
      },
      failed(error) {
        enter('failed')
        report.reason = CairnError.is(error) ? error.message : 'unexpected failure'
        figures.failures.inc(labels)
        gate.failed(key, error, failure, details)
      },
    }
    return { id, report, dependency }
  }

  return {
    add(id) {
      const key = keyOf(id)
      const entry = entries.get(key) ?? make(id)
      entries.set(key, entry)
      return entry.dependency
    },
    report: () => [...entries.values()].map(({ report }) => ({ ...report })),
  }
}

function keyOf({ kind, name, endpoint }: DependencyId): string {
  return JSON.stringify([kind, name, endpoint])
}

function createFigures(registry: Registry) {
  const common = { labelNames: ['kind', 'name', 'endpoint'] as const, registers: [registry] }
  return {
    up: new Gauge({
      name: 'cairn_dependency_up',
      help: 'Whether the dependency responded to the last request',
      ...common,
    }),
    lastSuccess: new Gauge({
      name: 'cairn_dependency_last_success_timestamp_seconds',
      help: 'Unix time of the last successful response, in seconds',
      ...common,
    }),
    failures: new Counter({
      name: 'cairn_dependency_failures_total',
      help: 'Number of failed requests to the dependency',
      ...common,
    }),
  }
}
