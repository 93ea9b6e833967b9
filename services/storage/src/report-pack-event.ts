import type { LogGate } from '@cairn/service'
import type { Logger } from 'pino'
import type { StorageMetrics } from './metrics.ts'
import type { PackEvent } from './packs/packs.ts'

const recoverPage = 'See docs/operate/recover.md.'

/** Where events of packs are reported. */
type Reporting = {
  log: Logger
  failures: LogGate
  metrics: Pick<StorageMetrics, 'damagedBlocks' | 'mergedPacks' | 'mergedBytes' | 'mergeablePacks'>
}

/** Logs and counts an event of the packs. */
export function reportPackEvent(event: PackEvent, { log, failures, metrics }: Reporting): void {
  switch (event.type) {
    case 'block-damaged':
      metrics.damagedBlocks.inc()
      log.error({ cid: event.cid, pack: event.objectKey }, 'stored block is damaged')
      break
    case 'pack-damaged':
      metrics.damagedBlocks.inc(event.damagedBlocks)
      log.error(
        { pack: event.objectKey, damagedBlocks: event.damagedBlocks, failures: event.failures },
        'stored pack is damaged',
      )
      break
    case 'worker-failed':
      failures.failed(event.worker, event.error, 'worker failed', { worker: event.worker })
      break
    case 'pack-missing':
      log.error(
        { pack: event.objectKey, missingPacks: event.of },
        `pack is missing, its content is unavailable. ${recoverPage}`,
      )
      break
    case 'pack-orphaned':
      log.error(
        { pack: event.objectKey },
        `pack without rows was set aside. Run npm run storage:recover. ${recoverPage}`,
      )
      break
    case 'packs-merged':
      metrics.mergedPacks.inc(event.packs)
      metrics.mergedBytes.inc(event.bytes)
      log.info({ pack: event.objectKey, packs: event.packs, bytes: event.bytes }, 'small packs merged')
      break
    case 'packs-mergeable':
      metrics.mergeablePacks.set(event.packs)
      break
    case 'pack-removed':
      log.info({ pack: event.objectKey }, 'pack removed')
      break
    case 'scrub-finished':
      log.info({ packs: event.packs, damagedBlocks: event.damagedBlocks }, 'scrubbed all packs')
  }
}
