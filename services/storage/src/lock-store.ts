import { mkdir } from 'node:fs/promises'
import { lockFolder } from '@cairn/service'
import type { StorageConfig } from './config.ts'

/**
 * Claims home and pack folder for this process. Only where the database is SQLite, which belongs to one process; replicas
 * share PostgreSQL and their pack folder.
 * @throws CairnError CONFLICT naming the process that runs there
 */
export async function lockStore(config: Pick<StorageConfig, 'home' | 'packFolder'>): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const holder = 'A storage service'
  const hint = 'Use the one that runs, or stop it first; for another one choose another folder with'
  stack.use(await lockFolder(config.home, { name: 'storage', holder, hint: `${hint} CAIRN_HOME.` }))
  await mkdir(config.packFolder, { recursive: true, mode: 0o700 })
  stack.use(await lockFolder(config.packFolder, { name: 'packs', holder, hint: `${hint} CAIRN_PACK_FOLDER.` }))
  return stack.move()
}
