import { Gauge } from 'prom-client'
import type { Metrics } from './http/metrics.ts'
import type { LogGate } from './log-gate.ts'

export type MeasuredGaugeParts = {
  metrics: Pick<Metrics, 'registry'>
  failures: Pick<LogGate, 'failed'>
}

/** A gauge, with the label that distinguishes its values if it has several. */
type MeasuredGauge = { name: string; help: string; label?: string }

/**
 * Adds a gauge whose values are measured when the metrics are read. One that cannot be measured has no value meanwhile: the
 * other metrics are needed all the more while a disk or the database is unavailable.
 * @param values measures by value of the label; of a gauge without one, a single measure
 */
export function addMeasuredGauge(
  { metrics, failures }: MeasuredGaugeParts,
  { name, help, label }: MeasuredGauge,
  values: Readonly<Record<string, () => number | Promise<number>>>,
): void {
  const labelsOf = (value: string): Record<string, string> => (label === undefined ? {} : { [label]: value })
  new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [metrics.registry],
    async collect() {
      for (const [value, measure] of Object.entries(values)) {
        const labels = labelsOf(value)
        try {
          this.set(labels, await measure())
        } catch (error) {
          this.remove(labels)
          failures.failed(`metric ${name} ${value}`, error, 'failed to measure', { metric: name, ...labels })
        }
      }
    },
  })
}
