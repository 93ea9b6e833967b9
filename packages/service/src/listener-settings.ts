import { CairnError } from '@cairn/protocol'
import {
  type LogLevel,
  list,
  logLevels,
  oneOf,
  optional,
  type Setting,
  type SettingValues,
  text,
  whole,
} from './settings.ts'

const seconds =
  (min: number, max: number) =>
  (value: string): number =>
    whole(min, max)(value) * 1000

/** Settings of every service that listens; each names them among its own. */
export const listenerSettings = {
  CAIRN_TRUSTED_PROXIES: {
    about: 'Addresses or networks of proxies whose X-Forwarded headers count, separated by commas.',
    fallback: '',
    read: list,
  },
  CAIRN_CORS_ORIGINS: {
    about: 'Origins that browsers may call from, separated by commas; * is any.',
    fallback: '*',
    read: list,
  },
  CAIRN_RATE_FACTOR: {
    about: 'Multiplies the rate limit of every call; 0 turns them off.',
    fallback: '1',
    read: whole(0, 1_000_000),
  },
  CAIRN_BODY_TIMEOUT_SECONDS: {
    about:
      'Time limit of a request’s head, and of a body that is not an upload; slower ones are answered 408 and their connection is closed.',
    fallback: '15',
    read: seconds(1, 3600),
  },
  CAIRN_MAX_CONNECTIONS: {
    about:
      'Connections of each public listener. When empty, what the process’s limit of open files allows: half of what is left after 128, shared by its listeners, at most 10,000. Systems other than Linux count as allowing 1,024 files.',
    fallback: '',
    read: optional(whole(1, 1_000_000)),
  },
  CAIRN_MAX_CONNECTIONS_PER_ADDRESS: {
    about:
      'Connections of one address (IPv6: one /64). Trusted proxies are exempt; requests under way that they pass on count by the address forwarded. A quarter of all when empty, at most 512.',
    fallback: '',
    read: optional(whole(1, 1_000_000)),
  },
  CAIRN_METRICS_HOST: {
    about: 'Address that the listener of /metrics binds to. It asks for no key: keep it where only operators reach it.',
    fallback: '127.0.0.1',
    read: text,
  },
  CAIRN_METRICS_PORT: {
    about: 'Port of /metrics; 100 above the service’s own when empty (any free one when that is 0); off: not served.',
    fallback: '',
    read: (value: string) => (value === 'off' ? ('off' as const) : optional(whole(0, 65_535))(value)),
  },
  CAIRN_DRAIN_SECONDS: {
    about:
      'How long the service says that it is not ready, and still answers, before it closes its listeners: time for load balancers to send clients elsewhere.',
    fallback: '0',
    read: seconds(0, 3600),
  },
  CAIRN_STOP_TIMEOUT_SECONDS: {
    about: 'How long running requests may go on after the listeners have closed.',
    fallback: '10',
    read: seconds(0, 3600),
  },
  CAIRN_LOG_LEVEL: {
    about: `Least level of log lines: ${logLevels.join(', ')}.`,
    fallback: 'info',
    read: oneOf(logLevels),
  },
} as const satisfies Record<string, Setting<unknown>>

/** What every service that listens is told about it, parsed. */
export type ListenerConfig = {
  readonly trustedProxies: readonly string[]
  /** Origins that browsers may call from; `*` is any. */
  readonly corsOrigins: readonly string[]
  /** Multiplies the calls' own rates; 0 turns rate limits off. */
  readonly rateFactor: number
  /** For heads, and for bodies that are not uploads. */
  readonly bodyTimeoutMs: number
  /** Of each public listener; derived from the limit of open files when undefined. */
  readonly maxConnections: number | undefined
  /** Of one address; a quarter of all when undefined. */
  readonly maxConnectionsPerAddress: number | undefined
  readonly metrics: { readonly host: string; readonly port: number } | undefined
  /** How long readiness says no before the listeners close. */
  readonly drainMs: number
  readonly stopTimeoutMs: number
  readonly logLevel: LogLevel
}

/** How far the port of metrics lies above the service's own. */
export const metricsPortDistance = 100

/**
 * Gathers what the settings say about listening.
 * @param port the service's own, which the port of metrics follows
 * @throws CairnError INVALID_CONFIGURATION when there is no port so far above the service's own
 */
export function readListenerConfig(values: SettingValues<typeof listenerSettings>, port: number): ListenerConfig {
  return {
    trustedProxies: values.CAIRN_TRUSTED_PROXIES,
    corsOrigins: values.CAIRN_CORS_ORIGINS,
    rateFactor: values.CAIRN_RATE_FACTOR,
    bodyTimeoutMs: values.CAIRN_BODY_TIMEOUT_SECONDS,
    maxConnections: values.CAIRN_MAX_CONNECTIONS,
    maxConnectionsPerAddress: values.CAIRN_MAX_CONNECTIONS_PER_ADDRESS,
    metrics: readMetricsPlace(values, port),
    drainMs: values.CAIRN_DRAIN_SECONDS,
    stopTimeoutMs: values.CAIRN_STOP_TIMEOUT_SECONDS,
    logLevel: values.CAIRN_LOG_LEVEL,
  }
}

function readMetricsPlace(
  { CAIRN_METRICS_HOST: host, CAIRN_METRICS_PORT: own }: SettingValues<typeof listenerSettings>,
  port: number,
): ListenerConfig['metrics'] {
  if (own === 'off') return undefined
  const metricsPort = own ?? (port === 0 ? 0 : port + metricsPortDistance)
  if (metricsPort <= 65_535) return { host, port: metricsPort }
  throw new CairnError('INVALID_CONFIGURATION', {
    message: `CAIRN_METRICS_PORT is empty, and ${metricsPort}, 100 above the port of the service, is no port`,
    hint: 'Set CAIRN_METRICS_PORT.',
  })
}
