import { CairnError } from '@cairn/protocol'
import type { TraceConfig } from './trace-settings.ts'
import type { TracedService, Traces } from './types.ts'

export type { TracedService, Traces } from './types.ts'

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
