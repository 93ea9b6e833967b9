import { existsSync } from 'node:fs'
import { CairnError } from '@cairn/protocol'
import { refuseContraction } from '@cairn/service'
import type { ObjectStore } from '@cairn/service/objects'
import type { StorageConfig } from '../config.ts'
import type { Clock } from '../context.ts'
import { type Database, migrations, openDatabase } from '../db/database.ts'
import { lockStore } from '../lock-store.ts'
import { openObjects } from '../objects/open-objects.ts'
import { createPackStore, type PackStore } from '../packs/packs.ts'

/** The store of a service, without the service, for a maintenance command. */
export type MaintainedStore = AsyncDisposable & {
  config: StorageConfig
  db: Database
  objects: ObjectStore
  packs: PackStore
  clock: Clock
}

/** Purpose of a command. */
export type MaintenancePurpose =
  /** Reads, whether or not the service runs. */
  | 'read'
  /** Changes rows. With SQLite the service must be stopped. */
  | 'change'
  /** As `change`, and the database may be new. */
  | 'recover'

/**
 * Opens database and packs with the service's own settings.
 * @throws CairnError CONFLICT while the service runs (SQLite), INVALID_CONFIGURATION when there is no store, UNAVAILABLE
 */
export async function openStore(config: StorageConfig, purpose: MaintenancePurpose): Promise<MaintainedStore> {
  const { database, packFolder, s3 } = config
  if (s3 === undefined) requirePath(packFolder, 'pack folder', 'CAIRN_PACK_FOLDER')
  if (database.kind === 'sqlite' && purpose !== 'recover') requirePath(database.path, 'database', 'CAIRN_HOME')
  if (purpose !== 'recover') await refuseContraction(database, migrations)
  await using stack = new AsyncDisposableStack()
  const isAlone = database.kind === 'sqlite' && purpose !== 'read'
  if (isAlone) stack.use(await lockStore(config))
  const db = stack.use(await openDatabase(database))
  const objects = await openObjects(config, { isAlone })
  stack.defer(() => objects.close())
  const clock = { now: () => Date.now() }
  const packs = createPackStore({ db, objects, clock })
  const open = stack.move()
  return { config, db, objects, packs, clock, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

function requirePath(path: string, what: string, setting: string): void {
  if (existsSync(path)) return
  throw new CairnError('INVALID_CONFIGURATION', {
    message: `${path} does not contain a ${what}`,
    hint: `Run the command with the settings of the service. ${setting} sets the path.`,
  })
}
