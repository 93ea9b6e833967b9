import { CairnError } from '@cairn/protocol'
import { inspectDatabase, keepSecretFile, makeFolder, openSnapshot, openDatabase as openWith } from '@cairn/service'
import { recordAction } from '@cairn/service/admin'
import { insertDump, type Opener, readDump, readStored, readWhole } from '@cairn/service/backup'
import type { ObjectStore } from '@cairn/service/objects'
import type { Kysely } from 'kysely'
import type { KeyNodeConfig } from '../config.ts'
import type { Clock } from '../context.ts'
import { migrations, openDatabase } from '../db/database.ts'
import { isRestoring, markRestoring } from '../db/node-row.ts'
import type { Schema } from '../db/schema.ts'
import { lockHome } from '../lock-home.ts'
import { type Manifest, manifests } from './manifest.ts'
import { parseSecrets, type Secrets, toHex } from './secrets.ts'

/** File of the restored secret below CAIRN_KEYNODE_HOME. */
export const secretFileName = 'keynode.key'
/** File of the second secret of a rotation. */
export const secondaryFileName = 'keynode.secondary.key'

/** Keys marked per statement. */
const keysAtOnce = 10_000

/** Dependencies of a restore. */
export type RestoreParts = {
  /** Reads the settings, with the secret of the backup if they name none. */
  readConfig(secret: string): { config: KeyNodeConfig; hasSecret: boolean }
  clock: Clock
  /** The opened source. */
  place: ObjectStore
  /** The newest backup when undefined. */
  id: string | undefined
  open: Opener
  isDryRun: boolean
  signal: AbortSignal
  /** Called with the rows so far. */
  onRows(rows: number): void
}

/** Result of a restore. */
export type Restored = {
  manifest: Manifest
  rows: number
  keys: number
  secret: 'configured' | 'written'
  /** Whether the second secret of a rotation was written too. */
  hasSecondary: boolean
}

/**
 * Restores a backup into an empty home and database. The rows come last, in one unit of work; until then no node starts
 * on it, and the same command continues. Every restored record is marked: it answers nothing until three peers or its
 * owner confirm it, because rights may have been revoked since the backup.
 *
 * @throws CairnError NOT_FOUND, BACKUP_KEY, BACKUP_DAMAGED, BACKUP_NEWER; CONFLICT when the home or the database is in
 * use; INVALID_CONFIGURATION for another node, network or secret
 */
export async function restoreBackup(parts: RestoreParts): Promise<Restored> {
  const { clock, place, open, signal } = parts
  const manifest = await manifests.find(place, parts.id)
  requireKnownSchema(manifest)
  // The key is tried before anything is written.
  const secretsFile = manifest.files.secrets
  const secrets = parseSecrets(await readWhole(open(readStored(place, secretsFile))), secretsFile.key)
  const { config, hasSecret } = parts.readConfig(secrets.secret)
  requireSameNode(config, manifest, secrets)
  await requireEmptyDatabase(config)
  const secret = hasSecret ? 'configured' : 'written'
  if (parts.isDryRun) return { manifest, rows: 0, keys: 0, secret, hasSecondary: false }

  makeFolder(config.home)
  await using _lock = await lockHome(config)
  if (!hasSecret) await writeSecret(config, secretFileName, secrets.secret)
  const { secondarySecret } = secrets
  const hasSecondary = secondarySecret !== undefined && config.secondarySecret === undefined
  if (hasSecondary) await writeSecret(config, secondaryFileName, secondarySecret)
  const { database: dump } = manifest.files
  const due = migrations.filter(({ name }) => manifest.database.migrations.includes(name))
  const { rows, keys } = await (async () => {
    await using db = await openWith<Schema>(config.database, { migrations: due })
    await markRestoring(db)
    return await db.write(async (trx) => {
      const node = await trx.selectFrom('node').select('name').executeTakeFirst()
      if (node !== undefined && !isRestoring(node)) throw databaseInUse()
      const dumped = readDump(open(readStored(place, dump, signal)), dump.key)
      const rows = await insertDump(trx, db.kind, dumped, parts.onRows)
      const at = clock.now()
      const keys = await markKeys(trx, at)
      await trx.updateTable('node').set({ restored_at: at }).execute()
      const after = { createdAt: manifest.createdAt, keys }
      await recordAction(trx, { action: 'restore', subject: manifest.id, after }, at)
      return { rows, keys }
    })
  })()
  // Migrates the rows to this version, as a start does.
  await (await openDatabase(config.database)).close()
  return { manifest, rows, keys, secret, hasSecondary }
}

/** Marks every key, in parts: PostgreSQL would end a statement about a million keys at its time limit. Returns their number. */
async function markKeys(trx: Kysely<Schema>, at: number): Promise<number> {
  let keys = 0
  for (let after = ''; ; ) {
    const some = trx.selectFrom('key').select('cid').where('cid', '>', after).orderBy('cid').limit(keysAtOnce)
    const rows = await some.execute()
    const last = rows.at(-1)?.cid
    if (last === undefined) return keys
    await trx.updateTable('key').set({ restored_at: at }).where('cid', '>', after).where('cid', '<=', last).execute()
    keys += rows.length
    after = last
  }
}

function requireKnownSchema({ id, database }: Manifest): void {
  const names = migrations.map(({ name }) => name)
  const strange = database.migrations.find((name) => !names.includes(name))
  if (strange === undefined) return
  throw new CairnError('BACKUP_NEWER', {
    message: `Backup ${id} has migration ${strange}, which this version does not know`,
  })
}

/** Number, network and secret are part of every seal. */
function requireSameNode(config: KeyNodeConfig, { node, network }: Manifest, secrets: Secrets): void {
  if (config.node !== node || config.networkName !== network) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `The backup belongs to node ${node} of network ${network}, the settings to node ${config.node} of network ${config.networkName}`,
      hint: 'Set CAIRN_KEYNODE_NUMBER and CAIRN_NETWORK_NAME to those of the backup. Its shards open on no other node.',
    })
  }
  // After a rotation, an older backup opens with the second secret.
  const own = [config.secret, config.secondarySecret].flatMap((secret) => (secret === undefined ? [] : [toHex(secret)]))
  if (!own.includes(secrets.secret)) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: 'The secret in the settings differs from the one in the backup',
      hint: `Leave CAIRN_KEYNODE_SECRET empty: the restore writes the secret of the backup to ${secretFileName}.`,
    })
  }
  const { secondarySecret: second } = secrets
  if (second === undefined || config.secondarySecret === undefined || own.includes(second)) return
  throw new CairnError('INVALID_CONFIGURATION', {
    message: 'The second secret in the settings differs from the one in the backup, which was made during a rotation',
    hint: `Leave CAIRN_KEYNODE_SECRET and CAIRN_KEYNODE_SECRET_SECONDARY empty: the restore writes the secrets of the backup to ${secretFileName} and ${secondaryFileName}.`,
  })
}

/** Checks this before anything is written; the unit of work that inserts the rows checks it again. */
async function requireEmptyDatabase({ database }: KeyNodeConfig): Promise<void> {
  if (!(await inspectDatabase(database)).exists) return
  await using snapshot = await openSnapshot(database)
  const tables = await snapshot.listTables()
  if (!tables.some(({ name }) => name === 'node')) return
  for await (const rows of snapshot.readRows('select name from node'))
    if (!rows.every(([name]) => isRestoring({ name: String(name) }))) throw databaseInUse()
}

function databaseInUse(): CairnError {
  return new CairnError('CONFLICT', {
    message: 'The database contains the rows of a key node',
    hint: 'Restore into a new CAIRN_KEYNODE_HOME, or a new database of CAIRN_KEYNODE_DATABASE_URL. Nothing was changed.',
  })
}

async function writeSecret({ home }: KeyNodeConfig, name: string, secret: string): Promise<void> {
  const text = await keepSecretFile(home, name, Buffer.from(secret, 'hex'))
  if (text === secret) return
  throw new CairnError('CONFLICT', {
    message: `${name} in ${home} contains another secret`,
    hint: 'Restore into a new CAIRN_KEYNODE_HOME. Nothing was changed.',
  })
}
