import { CairnError } from '@cairn/protocol'
import {
  addressList,
  type LogLevel,
  list,
  logLevels,
  oneOf,
  optional,
  type Setting,
  type SettingValues,
  seconds,
  text,
  whole,
} from './settings.ts'
import { readTraceConfig, type TraceConfig, traceSettings } from './traces/trace-settings.ts'

/** Settings of every service with a listener; each includes them in its own. */
export const listenerSettings = {
  CAIRN_TRUSTED_PROXIES: {
    about: 'Comma-separated addresses or networks of proxies whose X-Forwarded headers are trusted.',
    fallback: '',
    read: addressList,
  },
  CAIRN_CORS_ORIGINS: {
    about: 'Comma-separated origins that browsers may call from. * allows any origin.',
    fallback: '*',
    read: list,
  },
  CAIRN_RATE_FACTOR: {
    about: 'Factor for the rate limits of all calls. 0 disables them.',
    fallback: '1',
    read: whole(0, 1_000_000),
  },
  CAIRN_BODY_TIMEOUT_SECONDS: {
    about:
      'Time limit for request headers, and for bodies that are not uploads. Slower requests get 408 and their connection is closed.',
    fallback: '15',
    read: seconds(1, 3600),
  },
  CAIRN_MAX_CONNECTIONS: {
    about:
      'Maximum connections per public listener. When empty, the open file limit of the process is reduced by 128 and halved, and the public listeners share the result; each gets at most 10,000. Systems other than Linux are treated as having a limit of 1,024 files.',
    fallback: '',
    read: optional(whole(1, 1_000_000)),
  },
  CAIRN_MAX_CONNECTIONS_PER_ADDRESS: {
    about:
      'Maximum connections per address (IPv6: per /64). Trusted proxies are exempt, and their requests in progress count for the forwarded address. When empty, a quarter of all connections, at most 512.',
    fallback: '',
    read: optional(whole(1, 1_000_000)),
  },
  CAIRN_METRICS_HOST: {
    about: 'Address that the /metrics listener binds to. It requires no authentication, so restrict it to operators.',
    fallback: '127.0.0.1',
    read: text,
  },
  CAIRN_METRICS_PORT: {
    about:
      'Port of /metrics. When empty, the port of the service plus 100, or any free port if that is 0. off disables it.',
    fallback: '',
    read: (value: string) => (value === 'off' ? ('off' as const) : optional(whole(0, 65_535))(value)),
  },
  CAIRN_DRAIN_SECONDS: {
    about:
      'How long the service reports that it is not ready, but still serves requests, before it closes its listeners. Gives load balancers time to redirect clients.',
    fallback: '0',
    read: seconds(0, 3600),
  },
  CAIRN_STOP_TIMEOUT_SECONDS: {
    about: 'Time limit for running requests after the listeners are closed.',
    fallback: '10',
    read: seconds(0, 3600),
  },
  CAIRN_LOG_LEVEL: {
    about: `Minimum log level: ${logLevels.join(', ')}.`,
    fallback: 'info',
    read: oneOf(logLevels),
  },
  ...traceSettings,
} as const satisfies Record<string, Setting<unknown>>

/** Parsed settings of a listener. */
export type ListenerConfig = {
  readonly trustedProxies: readonly string[]
  /** Origins that browsers may call from; `*` is any. */
  readonly corsOrigins: readonly string[]
  /** Multiplies the calls' own rates; 0 turns rate limits off. */
  readonly rateFactor: number
  /** For heads, and for bodies that are not uploads. */
  readonly bodyTimeoutMs: number
  /** Per public listener; derived from the limit of open files if undefined. */
  readonly maxConnections: number | undefined
  /** Per address; a quarter of all if undefined. */
  readonly maxConnectionsPerAddress: number | undefined
  readonly metrics: { readonly host: string; readonly port: number } | undefined
  /** Time in ms that readiness reports draining before the listeners close. */
  readonly drainMs: number
  readonly stopTimeoutMs: number
  readonly logLevel: LogLevel
  /** Undefined if traces are off. */
  readonly traces: TraceConfig | undefined
}

/** Offset of the metrics port from the port of the service. */
export const metricsPortDistance = 100

/**
 * Collects the listener settings.
 * @param port the port of the service, which the metrics port is derived from
 * @throws CairnError INVALID_CONFIGURATION if the metrics port would be out of range
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
    traces: readTraceConfig(values),
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
    message: `CAIRN_METRICS_PORT is empty, and its default ${metricsPort} (the port of the service plus 100) is not a valid port`,
    hint: 'Set CAIRN_METRICS_PORT.',
  })
}
