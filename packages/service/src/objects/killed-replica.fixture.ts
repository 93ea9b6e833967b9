import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { openFileStore } from './files.ts'

/** A replica that was killed after it finished objects. */
export type KilledReplica = {
  /** Finishes a small object, and confirms it on request. */
  finish(key: string, options?: { confirm: boolean }): Promise<void>
  /** Makes its heartbeat and its notes two hours old. */
  age(): Promise<void>
}

/** Adds a replica to the folder of a store. */
export async function createKilledReplica(folder: string): Promise<KilledReplica> {
  const store = await openFileStore(folder, { replica: 'killed' })
  return {
    async finish(key, { confirm } = { confirm: false }) {
      const writer = await store.create(key)
      await writer.append([new Uint8Array(10)])
      await writer.finish()
      if (confirm) await store.confirm(key)
    },
    async age() {
      const at = Date.now() / 1000 - 7200
      for (const kind of ['unconfirmed', 'replicas']) {
        for (const name of await readdir(join(folder, kind))) {
          if (name.startsWith('killed')) await utimes(join(folder, kind, name), at, at)
        }
      }
    },
  }
}
