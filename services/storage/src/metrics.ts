import { createMetrics, type Metrics } from '@cairn/service'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** Metrics of the storage service. */
export type StorageMetrics = Metrics & {
  readonly uploadedBytes: Counter
  readonly damagedBlocks: Counter
  /** Rules of all denylists in effect at this process. */
  readonly denylistRules: Gauge
  /** Pieces read through the cache of packs, and its size. */
  readonly cachePieces: Counter<'result'>
  readonly cacheBytes: Gauge
  readonly mergedPacks: Counter
  readonly mergedBytes: Counter
  /** Small packs that wait to be merged, as found by the last round of this process. */
  readonly mergeablePacks: Gauge
  readonly paymentsCredited: Counter
  readonly namesRenewed: Counter
  readonly possessionChecks: Counter<'outcome'>
  /** Newest and last final block of an endpoint, by its position in the settings. */
  readonly chainHeadBlock: Gauge<'network' | 'endpoint'>
  readonly chainFinalBlock: Gauge<'network' | 'endpoint'>
  /** The last final block that was recorded. */
  readonly chainReadBlock: Gauge<'network'>
  readonly chainDisagreements: Counter<'network'>
  readonly freeAccounts: Counter
  readonly eventStreams: Gauge
  readonly webhookDeliveries: Counter<'result'>
  readonly webhookQueue: Gauge
  readonly webhookQueueAge: Gauge
  readonly freeRefusals: Counter<'bound'>
  /** The store as a whole, measured by the replica that holds the lease. */
  readonly store: StoreGauges
  /** Pictures: from the cache (hit), rendered (miss), shared with an equal request in progress (joined), failed (error). */
  readonly pictures: Counter<'result'>
  readonly pictureSeconds: Histogram
}

/** Sizes and states of all rows together. */
export type StoreGauges = {
  readonly accounts: Gauge
  readonly blockedAccounts: Gauge
  /** Objects: a pack in a merged one does not count. */
  readonly packs: Gauge<'state'>
  readonly packBytes: Gauge<'state'>
  readonly blocks: Gauge<'state'>
  readonly missingPacks: Gauge
  readonly unfinishedUploads: Gauge
  readonly unfinishedBytes: Gauge
  readonly deals: Gauge<'state' | 'provider'>
  readonly payments: Gauge<'state'>
  readonly oldestScrub: Gauge
  readonly leases: Gauge<'name'>
}

/** Creates a separate registry, so that several services can run in one process. */
export function createStorageMetrics(): StorageMetrics {
  const metrics = createMetrics()
  const registers = [metrics.registry]
  const possessionChecks = new Counter({
    name: 'cairn_possession_checks_total',
    help: 'Challenges to storage providers, by result',
    labelNames: ['outcome'],
    registers,
  })
  // From the start, so that the first wrong proof is an increase.
  for (const outcome of ['proved', 'wrong', 'silent']) possessionChecks.inc({ outcome }, 0)
  return {
    ...metrics,
    uploadedBytes: new Counter({ name: 'cairn_uploaded_bytes_total', help: 'Bytes of uploaded files', registers }),
    damagedBlocks: new Counter({
      name: 'cairn_damaged_blocks_total',
      help: 'Blocks that do not match their hash',
      registers,
    }),
    denylistRules: new Gauge({
      name: 'cairn_denylist_rules',
      help: 'Rules of all denylists in effect at this process',
      registers,
    }),
    cachePieces: new Counter({
      name: 'cairn_s3_cache_pieces_total',
      help: 'Pieces of packs read through the cache on the disk: hit, miss or damaged',
      labelNames: ['result'],
      registers,
    }),
    cacheBytes: new Gauge({
      name: 'cairn_s3_cache_bytes',
      help: 'Bytes that the cache of packs uses on the disk',
      registers,
    }),
    mergedPacks: new Counter({ name: 'cairn_packs_merged_total', help: 'Small packs that were merged', registers }),
    mergedBytes: new Counter({
      name: 'cairn_pack_merge_bytes_total',
      help: 'Bytes of the merged packs that were written',
      registers,
    }),
    mergeablePacks: new Gauge({
      name: 'cairn_packs_mergeable',
      help: 'Small packs to merge, at the last round of the replica that merges',
      registers,
    }),
    paymentsCredited: new Counter({ name: 'cairn_payments_credited_total', help: 'Payments credited', registers }),
    namesRenewed: new Counter({ name: 'cairn_names_renewed_total', help: 'Renewed name records', registers }),
    possessionChecks,
    chainHeadBlock: new Gauge({
      name: 'cairn_chain_head_block',
      help: 'Newest block reported by an endpoint, while this process follows the chain',
      labelNames: ['network', 'endpoint'],
      registers,
    }),
    chainFinalBlock: new Gauge({
      name: 'cairn_chain_final_block',
      help: 'Last final block reported by an endpoint, while this process follows the chain',
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
      help: 'Rounds in which the endpoints of a chain disagreed and nothing was credited',
      labelNames: ['network'],
      registers,
    }),
    eventStreams: new Gauge({ name: 'cairn_event_streams', help: 'Open event streams of this process', registers }),
    webhookDeliveries: new Counter({
      name: 'cairn_webhook_deliveries_total',
      help: 'Attempts to deliver events to webhooks, by result: delivered, retried or failed',
      labelNames: ['result'],
      registers,
    }),
    webhookQueue: new Gauge({
      name: 'cairn_webhook_queue_deliveries',
      help: 'Pending deliveries of enabled webhooks of all replicas',
      registers,
    }),
    webhookQueueAge: new Gauge({
      name: 'cairn_webhook_queue_oldest_seconds',
      help: 'Age of the oldest event among the pending deliveries of enabled webhooks',
      registers,
    }),
    freeAccounts: new Counter({
      name: 'cairn_free_accounts_opened_total',
      help: 'Accounts created with free storage',
      registers,
    }),
    freeRefusals: new Counter({
      name: 'cairn_free_storage_refusals_total',
      help: 'Rejected requests for free storage, by the limit that was reached: total, disk or accounts',
      labelNames: ['bound'],
      registers,
    }),
    store: createStoreGauges(registers),
    pictures: new Counter({
      name: 'cairn_pictures_total',
      help: 'Resized pictures, by result: hit, miss, joined or error',
      labelNames: ['result'],
      registers,
    }),
    pictureSeconds: new Histogram({
      name: 'cairn_picture_seconds',
      help: 'Time to render a picture that was not cached, including the wait for a process',
      buckets: [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30],
      registers,
    }),
  }
}

function createStoreGauges(registers: Registry[]): StoreGauges {
  const gauge = <T extends string = never>(name: string, help: string, labelNames: readonly T[] = []): Gauge<T> =>
    new Gauge({ name, help: `${help}. Measured once a minute by one replica`, labelNames, registers })
  return {
    accounts: gauge('cairn_accounts', 'Accounts'),
    blockedAccounts: gauge('cairn_blocked_accounts', 'Accounts that the operator blocked'),
    packs: gauge('cairn_packs', 'Objects of packs, by state', ['state']),
    packBytes: gauge('cairn_pack_bytes', 'Bytes of objects of packs, by state', ['state']),
    blocks: gauge('cairn_blocks', 'Rows of blocks, by state of their pack', ['state']),
    missingPacks: gauge('cairn_missing_packs', 'Packs whose object is missing'),
    unfinishedUploads: gauge('cairn_unfinished_uploads', 'Resumable uploads that are not stored yet'),
    unfinishedBytes: gauge(
      'cairn_unfinished_upload_bytes',
      'Received bytes of resumable uploads that are not stored yet',
    ),
    deals: gauge('cairn_deals', 'Deals with storage providers, by provider and state', ['state', 'provider']),
    payments: gauge('cairn_payments', 'Payments, by state', ['state']),
    oldestScrub: gauge('cairn_oldest_scrub_timestamp_seconds', 'When the pack that waits longest was last verified'),
    leases: gauge('cairn_lease_expires_timestamp_seconds', 'End of the lease of a job', ['name']),
  }
}
