import { randomUUID } from 'node:crypto'
import { CairnError, formatBytes } from '@cairn/protocol'
import { recordAction } from '@cairn/service/admin'
import { hasUploadsInProgress } from '../ledger/ledger.ts'
import { openStore } from '../maintenance/open-store.ts'
import { countMergeable, mergePacks, type PackEvent } from '../packs/packs.ts'
import { systemClock } from '../workers/worker.ts'
import { type CommandInput, withDatabase } from './command.ts'

/** Merges the small packs that are due, or shows how many there are. With SQLite the service must be stopped. */
export async function mergeNow(input: CommandInput): Promise<boolean> {
  const { config, isDryRun, report, signal } = input
  const settings = config.merging
  if (settings === undefined) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: 'CAIRN_MERGE_PACK_BYTES is 0, so packs are not merged',
      hint: 'Set it to the size below which packs are merged.',
    })
  }
  const clock = systemClock
  if (isDryRun) {
    return withDatabase(input, async ({ db }) => {
      const { packs, bytes } = await countMergeable(db, settings, clock.now())
      report({ kind: 'plan', packs, bytes, isDryRun }, `Dry run: ${packs} packs (${formatBytes(bytes)}) can be merged.`)
      return true
    })
  }
  await using store = await openStore(config, 'change')
  const { db } = store
  const onEvent = (event: PackEvent) => {
    if (event.type === 'packs-merged')
      report({ ...event, kind: 'merged' }, `${event.objectKey}: ${event.packs} packs, ${formatBytes(event.bytes)}`)
    if (event.type === 'pack-damaged') report({ ...event, kind: 'damaged' }, `damaged, not merged: ${event.objectKey}`)
  }
  const parts = { ...store, clock, settings, graceMs: config.packGraceMs, owner: randomUUID(), onEvent }
  const isBusy = () => hasUploadsInProgress({ db, clock })
  const merged = await mergePacks({ ...parts, isBusy, setAside: new Map() }, signal)
  await db.write((trx) => recordAction(trx, { action: 'merge-packs', subject: 'store', after: merged }, clock.now()))
  report(
    { kind: 'summary', ...merged },
    `${merged.packs} packs merged into ${merged.merged}, ${formatBytes(merged.bytes)}.`,
  )
  return true
}
