import { addMeasuredGauge } from '@cairn/service'
import type { Context } from '../context.ts'
import { measureFreeDisk, readFreeStorage } from './free-storage.ts'
import { readFreeSettings } from './operator-settings.ts'

/** Exposes current free storage, used and remaining, as metrics that are computed when scraped. */
export function watchFreeStorage(context: Pick<Context, 'config' | 'db' | 'metrics' | 'failures'>): void {
  const { config, db } = context
  addMeasuredGauge(
    context,
    {
      name: 'cairn_free_storage_bytes',
      help: 'Bytes that all accounts store or reserve beyond their paid storage',
    },
    { all: () => readFreeStorage(db.read) },
  )
  addMeasuredGauge(
    context,
    {
      name: 'cairn_free_storage_limit_bytes',
      help: 'Limit of free storage of all accounts, in bytes (cairn-admin free set total)',
    },
    { all: async () => (await readFreeSettings(db.read, config)).freeTotalBytes ?? Number.POSITIVE_INFINITY },
  )
  addMeasuredGauge(
    context,
    {
      name: 'cairn_free_storage_disk_bytes',
      help: 'Disk space still available to free storage, in bytes (CAIRN_FREE_DISK_RESERVE)',
    },
    { all: () => measureFreeDisk({ config }) },
  )
}
