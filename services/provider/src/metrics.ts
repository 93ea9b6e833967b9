import { pieceStates } from '@cairn/protocol'
import { addMeasuredGauge, createMetrics, type LogGate, type Metrics } from '@cairn/service'
import { Counter, Gauge } from 'prom-client'
import type { PieceCounts } from './pieces/store.ts'

/** Metrics of a storage provider. */
export type ProviderMetrics = Metrics & {
  readonly pulledBytes: Counter
  readonly pulls: Counter<'result'>
  readonly challenges: Counter<'result'>
  readonly servedBytes: Counter
  readonly damagedPieces: Counter
}

/**
 * Creates a separate registry, so that several providers can run in one process.
 * @param count counts pieces when the metrics are read
 */
export function createProviderMetrics(
  capacityBytes: number,
  count: () => Promise<PieceCounts>,
  failures: Pick<LogGate, 'failed'>,
): ProviderMetrics {
  const metrics = createMetrics()
  const registers = [metrics.registry]
  new Gauge({ name: 'cairn_provider_capacity_bytes', help: 'Maximum bytes of pieces', registers }).set(capacityBytes)
  addMeasuredGauge(
    { metrics, failures },
    { name: 'cairn_provider_used_bytes', help: 'Bytes of stored and accepted pieces, without padding' },
    { all: async () => (await count()).usedBytes },
  )
  addMeasuredGauge(
    { metrics, failures },
    { name: 'cairn_provider_pieces', help: 'Pieces by state', label: 'state' },
    countOnce(count),
  )
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  const byResult = (name: string, help: string) => new Counter({ name, help, labelNames: ['result'], registers })
  return {
    ...metrics,
    pulledBytes: counter('cairn_provider_pulled_bytes_total', 'Bytes fetched from sources'),
    pulls: byResult('cairn_provider_pulls_total', 'Attempts to fetch a piece: kept, cut (retried later) or failed'),
    challenges: byResult('cairn_provider_challenges_total', 'Challenges: proven, or damaged'),
    servedBytes: counter('cairn_provider_served_bytes_total', 'Bytes of payloads served'),
    damagedPieces: counter('cairn_provider_damaged_pieces_total', 'Pieces found damaged'),
  }
}

/** Measures the pieces of each state by one count, made for the first: the states are measured in order. */
function countOnce(count: () => Promise<PieceCounts>): Record<string, () => Promise<number>> {
  let counted: Promise<PieceCounts> | undefined
  const measures = pieceStates.map((state, at) => {
    const measure = async (): Promise<number> => {
      if (at === 0 || counted === undefined) counted = count()
      return (await counted).pieces[state]
    }
    return [state, measure] as const
  })
  return Object.fromEntries(measures)
}
