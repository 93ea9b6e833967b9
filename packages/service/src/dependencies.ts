import { CairnError } from '@cairn/protocol'
import { Counter, Gauge, Registry } from 'prom-client'
import { createLogGate, type GateLog } from './log-gate.ts'

/** What the log says of each kind of dependency when it fails, and when it works again. */
const messages = {
  chain: ['a chain could not be followed', 'a chain is followed again'],
  endpoint: ['an endpoint of a chain failed', 'an endpoint of a chain works again'],
  feed: ['a price feed did not answer', 'a price feed answers again'],
  provider: ['a storage provider did not answer', 'a storage provider answers again'],
  keyNode: ['a key node did not answer', 'a key node answers again'],
} as const
export type DependencyKind = keyof typeof messages

/** Names a dependency. Endpoints of chains are told by their place in the settings: their URLs may hold keys. */
export type DependencyId = { kind: DependencyKind; name: string; endpoint?: number }

/** Something outside of the process that it works with. */
export type Dependency = {
  readonly id: DependencyId
  /** When it was last asked, in ms since 1970; undefined before the first time. */
  readonly askedAt: number | undefined
  /** Notes that it answered as it should. */
  succeeded(): void
  /** Notes that it did not. Messages of errors of ours are shown to anybody; of others it is said that they happened. */
  failed(error: unknown): void
}

/** A dependency as `/readyz` shows it. */
export type DependencyReport = DependencyId & {
  /** `unknown` until it was asked. */
  state: 'unknown' | 'ok' | 'failed'
  /** Why it failed. */
  reason?: string
  /** Since when it is in this state, in ms since 1970. */
  since?: number
  lastSuccessAt?: number
}

/** The dependencies of one process: their state for readiness, metrics and the log. */
export type Dependencies = {
  /** Adds a dependency; the same id gives the same one. */
  add(id: DependencyId): Dependency
  report(): DependencyReport[]
}

type Entry = { id: DependencyId; report: DependencyReport; dependency: Dependency }

/**
 * Makes the register of what a process depends on. Nothing in it makes the process unready: a service without its chain
 * still stores and serves.
 * @param parts `registry`: of the process's metrics. Defaults to one of its own.
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
        report.reason = CairnError.is(error) ? error.message : 'it failed in an unforeseen way'
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
    up: new Gauge({ name: 'cairn_dependency_up', help: 'Whether it answered when it was last asked', ...common }),
    lastSuccess: new Gauge({
      name: 'cairn_dependency_last_success_timestamp_seconds',
      help: 'When it last answered as it should, in seconds since 1970',
      ...common,
    }),
    failures: new Counter({
      name: 'cairn_dependency_failures_total',
      help: 'How often it did not answer as it should',
      ...common,
    }),
  }
}
