import { Gauge } from 'prom-client'
import type { Context } from '../context.ts'
import { measureFreeDisk, readFreeStorage } from './free-storage.ts'
import { readFreeSettings } from './operator-settings.ts'

/** Exposes current free storage, used and remaining, as metrics that are computed when scraped. */
export function watchFreeStorage({ config, db, metrics }: Pick<Context, 'config' | 'db' | 'metrics'>): void {
  const registers = [metrics.registry]
  new Gauge({
    name: 'cairn_free_storage_bytes',
    help: 'Bytes that all accounts store or reserve beyond their paid storage',
    registers,
    async collect() {
      this.set(await readFreeStorage(db.read))
    },
  })
  new Gauge({
    name: 'cairn_free_storage_limit_bytes',
    help: 'Limit of free storage of all accounts, in bytes (cairn-admin free set total)',
    registers,
    async collect() {
      const { freeTotalBytes } = await readFreeSettings(db.read, config)
      this.set(freeTotalBytes ?? Number.POSITIVE_INFINITY)
    },
  })
  new Gauge({
    name: 'cairn_free_storage_disk_bytes',
    help: 'Disk space still available to free storage, in bytes (CAIRN_FREE_DISK_RESERVE)',
    registers,
    async collect() {
      this.set(await measureFreeDisk({ config }))
    },
  })
}
