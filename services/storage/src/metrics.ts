import { createMetrics, type Metrics } from '@cairn/service'
import { Counter } from 'prom-client'

/** The figures of the storage service. */
export type StorageMetrics = Metrics & {
  readonly uploadedBytes: Counter
  readonly damagedBlocks: Counter
  readonly paymentsCredited: Counter
  readonly namesRenewed: Counter
  readonly possessionChecks: Counter<'outcome'>
}

/** Makes a registry of its own, so that several services live in one process. */
export function createStorageMetrics(): StorageMetrics {
  const metrics = createMetrics()
  const registers = [metrics.registry]
  return {
    ...metrics,
    uploadedBytes: new Counter({ name: 'cairn_uploaded_bytes_total', help: 'Bytes of files taken in', registers }),
    damagedBlocks: new Counter({
      name: 'cairn_damaged_blocks_total',
      help: 'Blocks found not to match their hash',
      registers,
    }),
    paymentsCredited: new Counter({ name: 'cairn_payments_credited_total', help: 'Payments credited', registers }),
    namesRenewed: new Counter({ name: 'cairn_names_renewed_total', help: 'Records of names renewed', registers }),
    possessionChecks: new Counter({
      name: 'cairn_possession_checks_total',
      help: 'Challenges to storage providers, by what came of them',
      labelNames: ['outcome'],
      registers,
    }),
  }
}
