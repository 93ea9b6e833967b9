import { Gauge } from 'prom-client'
import type { Context } from '../context.ts'
import { measureFreeDisk, readFreeStorage } from './free-storage.ts'

/** Shows in the metrics what is stored for free and how much more may be, as it is when they are asked for. */
export function watchFreeStorage({ config, db, metrics }: Pick<Context, 'config' | 'db' | 'metrics'>): void {
  const registers = [metrics.registry]
  new Gauge({
    name: 'cairn_free_storage_bytes',
    help: 'Bytes that all accounts store, or hold room for, beyond what was paid for',
    registers,
    async collect() {
      this.set(await readFreeStorage(db.read))
    },
  })
  new Gauge({
    name: 'cairn_free_storage_limit_bytes',
    help: 'Bytes that all accounts together may store for free (CAIRN_FREE_TOTAL_BYTES)',
    registers,
    collect() {
      this.set(config.freeTotalBytes ?? Number.POSITIVE_INFINITY)
    },
  })
  new Gauge({
    name: 'cairn_free_storage_disk_bytes',
    help: 'Bytes of the disk that free storage may still take (CAIRN_FREE_DISK_RESERVE)',
    registers,
    async collect() {
      this.set(await measureFreeDisk({ config }))
    },
  })
}
