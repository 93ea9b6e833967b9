import { lockFolder, makeFolder } from '@cairn/service'
import type { StorageConfig } from './config.ts'

/**
 * Locks home and pack folder for this process. Only with SQLite, whose database belongs to one process; replicas
 * share PostgreSQL and their pack folder.
 * @throws CairnError CONFLICT naming the running process
 */
export async function lockStore(config: Pick<StorageConfig, 'home' | 'packFolder'>): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const holder = 'A storage service'
  const hint = 'Use or stop the running one. To run another one, choose another folder with'
  stack.use(await lockFolder(config.home, { name: 'storage', holder, hint: `${hint} CAIRN_HOME.` }))
  makeFolder(config.packFolder)
  stack.use(await lockFolder(config.packFolder, { name: 'packs', holder, hint: `${hint} CAIRN_PACK_FOLDER.` }))
  return stack.move()
}
