import { CairnError } from '@cairn/protocol'
import { optional, type Setting, type SettingValues, text, url } from '../settings.ts'

/** Settings of traces, which every service has. */
export const traceSettings = {
  CAIRN_TRACES_URL: {
    about:
      'OTLP/HTTP address that traces are sent to, such as http://127.0.0.1:4318/v1/traces. Empty turns traces off. Requires `npm run add -- traces` (docs/operate/monitor.md#traces).',
    fallback: '',
    read: optional(url),
  },
  CAIRN_TRACES_HEADERS: {
    about:
      'Headers of these requests, such as authorization=Bearer abc. Separate several by commas, and percent-encode commas in values.',
    fallback: '',
    read: text,
  },
  CAIRN_TRACES_PERCENT: {
    about:
      'Percentage of traces that are sent. Services with the same value choose the same traces. Requests that are not chosen cost almost nothing.',
    fallback: '100',
    read: percent,
  },
} as const satisfies Record<string, Setting<unknown>>

/** Parsed settings of traces. */
export type TraceConfig = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Share of the traces that are sent, from 0 to 1. */
  readonly share: number
}

/**
 * Collects the settings of traces.
 * @returns undefined if traces are off
 * @throws CairnError INVALID_CONFIGURATION
 */
export function readTraceConfig(values: SettingValues<typeof traceSettings>): TraceConfig | undefined {
  if (values.CAIRN_TRACES_URL === undefined) return undefined
  return {
    url: values.CAIRN_TRACES_URL,
    headers: readHeaders(values.CAIRN_TRACES_HEADERS),
    share: values.CAIRN_TRACES_PERCENT / 100,
  }
}

function percent(value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !(number >= 0 && number <= 100)) throw new Error('must be a number from 0 to 100')
  return number
}

/** Parses `name=value,name=value`, the format of `OTEL_EXPORTER_OTLP_HEADERS`. */
function readHeaders(value: string): Record<string, string> {
  const pairs = value.split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=')
      const name = pair.slice(0, equals).trim()
      if (equals < 1 || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw badHeaders()
      return [name.toLowerCase(), decode(pair.slice(equals + 1).trim())]
    }),
  )
}

function decode(value: string): string {
  try {
    const decoded = decodeURIComponent(value)
    if (/^[\t\x20-\x7e]*$/.test(decoded)) return decoded
  } catch {
    // An incomplete escape: reported below.
  }
  throw badHeaders()
}

/** Without the value: it may contain a password. */
function badHeaders(): CairnError {
  return new CairnError('INVALID_CONFIGURATION', {
    message: 'CAIRN_TRACES_HEADERS must be pairs such as authorization=Bearer%20abc, separated by commas',
  })
}
