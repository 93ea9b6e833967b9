import { createHash } from 'node:crypto'
import { CairnError } from '@cairn/protocol'
import { openSnapshot } from '@cairn/service'
import {
  backupKey,
  claimPlace,
  createBackupId,
  dumpRows,
  removeAbandoned,
  removeUnfinished,
  type Sealer,
  untilAborted,
  writeStored,
} from '@cairn/service/backup'
import type { ObjectStore } from '@cairn/service/objects'
import type { KeyNodeConfig } from '../config.ts'
import type { Clock } from '../context.ts'
import type { Database } from '../db/database.ts'
import { type Manifest, manifests } from './manifest.ts'
import { encodeSecrets } from './secrets.ts'

/**
 * Sessions and what prevents their replay. A restored node rejects every challenge from before its restore instead, so
 * none of them is needed.
 */
const omittedTables = ['session', 'seen_proof', 'bearer_use', 'spent_challenge']

/** Dependencies of a backup. */
export type BackupParts = {
  config: KeyNodeConfig
  db: Database
  clock: Clock
  /** The opened destination. */
  place: ObjectStore
  seal: Sealer
  signal: AbortSignal
  /** Called with the rows so far. */
  onRows(rows: number): void
}

/**
 * Writes a backup, whether or not the node runs: the rows of one snapshot and the secrets first, the manifest last.
 * @throws CairnError BACKUP_OF_ANOTHER, INVALID_CONFIGURATION for a database that no node has used, as the store
 */
export async function createBackup(parts: BackupParts): Promise<Manifest> {
  const { config, db, clock, place, seal, signal } = parts
  const id = createBackupId(clock.now())
  const { name } = await readNode(db)
  await claimPlace(place, placeOwnerOf(name))
  await removeAbandoned(place)
  const written: string[] = []
  const write = async (file: string, chunks: AsyncIterable<Uint8Array>) => {
    const stored = await writeStored(place, backupKey(id, file), untilAborted(chunks, signal))
    written.push(stored.key)
    return stored
  }
  try {
    const { file: database, ...counts } = await writeDump(parts, write)
    const secrets = await write('secrets.age', await seal(encodeSecrets(config)))
    signal.throwIfAborted()
    await manifests.write(place, {
      id,
      createdAt: new Date(clock.now()).toISOString(),
      network: config.networkName,
      node: config.node,
      publicKey: name.split(' ').at(-1) ?? '',
      database: { kind: config.database.kind, ...counts },
      files: { database, secrets },
    })
    for (const key of [...written, backupKey(id, 'manifest.json')]) await place.confirm(key)
    return await manifests.read(place, id)
  } catch (error) {
    await removeUnfinished(place, id, written).catch(() => undefined)
    throw signal.aborted ? signal.reason : error
  }
}

/** Reads the identity of the node that a database belongs to. @throws CairnError INVALID_CONFIGURATION */
export async function readNode({ read }: Pick<Database, 'read'>) {
  const row = await read.selectFrom('node').selectAll().where('id', '=', 1).executeTakeFirst()
  if (row !== undefined) return row
  throw new CairnError('INVALID_CONFIGURATION', {
    message: 'The database contains no key node',
    hint: 'Run the command with the settings of the key node, after its first start.',
  })
}

/**
 * Identifies a node in a destination. Nodes do not share one: the backups of three nodes together open every file
 * key.
 */
export function placeOwnerOf(name: string): string {
  return `keynode-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`
}

/** Writes the rows of a snapshot. */
async function writeDump(
  { config, seal, onRows }: BackupParts,
  write: (name: string, chunks: AsyncIterable<Uint8Array>) => Promise<Manifest['files']['database']>,
) {
  await using snapshot = await openSnapshot(config.database)
  const migrations: string[] = []
  for await (const batch of snapshot.readRows('select name from migration order by name'))
    for (const [name] of batch) migrations.push(String(name))
  let rows = 0
  const count = (some: number) => {
    rows = some
    onRows(some)
  }
  const file = await write('database.age', await seal(dumpRows(snapshot, count, { omittedTables })))
  return { file, migrations, rows }
}
