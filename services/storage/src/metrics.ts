import { createMetrics, type Metrics } from '@cairn/service'
import { Counter, Gauge } from 'prom-client'

/** The figures of the storage service. */
export type StorageMetrics = Metrics & {
  readonly uploadedBytes: Counter
  readonly damagedBlocks: Counter
  readonly paymentsCredited: Counter
  readonly namesRenewed: Counter
  readonly possessionChecks: Counter<'outcome'>
  /** The newest and the last final block that an endpoint shows, by its place in the settings. */
  readonly chainHeadBlock: Gauge<'network' | 'endpoint'>
  readonly chainFinalBlock: Gauge<'network' | 'endpoint'>
  /** The last final block in the books. */
  readonly chainReadBlock: Gauge<'network'>
  readonly chainDisagreements: Counter<'network'>
  readonly freeAccounts: Counter
  readonly freeRefusals: Counter<'bound'>
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
    chainHeadBlock: new Gauge({
      name: 'cairn_chain_head_block',
      help: 'Newest block that an endpoint shows, while this process follows the chain',
      labelNames: ['network', 'endpoint'],
      registers,
    }),
    chainFinalBlock: new Gauge({
      name: 'cairn_chain_final_block',
      help: 'Last final block that an endpoint shows, while this process follows the chain',
      labelNames: ['network', 'endpoint'],
      registers,
    }),
    chainReadBlock: new Gauge({
      name: 'cairn_chain_read_block',
      help: 'Last final block that was read for payments',
      labelNames: ['network'],
      registers,
    }),
    chainDisagreements: new Counter({
      name: 'cairn_chain_disagreements_total',
      help: 'Rounds in which the endpoints of a chain contradicted each other and nothing was credited',
      labelNames: ['network'],
      registers,
    }),
    freeAccounts: new Counter({
      name: 'cairn_free_accounts_opened_total',
      help: 'Accounts opened with a free allowance',
      registers,
    }),
    freeRefusals: new Counter({
      name: 'cairn_free_storage_refusals_total',
      help: 'Refusals to accounts that would have stored for free, by the bound that was reached: total, disk or accounts',
      labelNames: ['bound'],
      registers,
    }),
  }
}
