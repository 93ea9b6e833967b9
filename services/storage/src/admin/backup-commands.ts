import { formatBytes } from '@cairn/protocol'
import {
  createKeyFile,
  openPlaceIfExists,
  readIdentity,
  readKeep,
  recordAction,
  reportBackups,
  wrongUse,
} from '@cairn/service/admin'
import { createSealer, openPlace } from '@cairn/service/backup'
import { createBackup, type OnProgress, planBackup } from '../backup/create-backup.ts'
import { type Manifest, manifests } from '../backup/manifest.ts'
import { migrateStore } from '../backup/migrate-store.ts'
import { pruneBackups } from '../backup/prune-backups.ts'
import { restoreBackup } from '../backup/restore-backup.ts'
import { readSecrets } from '../backup/secrets.ts'
import { verifyBackups } from '../backup/verify-backup.ts'
import { readStoreName } from '../db/read-store-name.ts'
import { requireSameSecret } from '../names/names.ts'
import { type Command, type CommandInput, withDatabase } from './command.ts'

/** Commands that create, check and restore backups. */
export const backupCommands: Readonly<Record<string, Command>> = {
  backup: {
    args: ['DESTINATION'],
    about: 'backs up database, secrets and packs to a folder or s3://bucket/prefix, while the service runs or not',
    run: backUp,
  },
  'backup list': {
    args: ['DESTINATION'],
    about: 'lists the finished backups, oldest first',
    run: (input) =>
      reportBackups(placeOf(input), input.config.backup, manifests, (manifest) =>
        input.report(manifest, describeBackup(manifest)),
      ),
  },
  'backup verify': {
    args: ['DESTINATION'],
    about: 'reads backups completely and compares every sum; with --identity decrypts them too',
    run: verify,
  },
  'backup prune': {
    args: ['DESTINATION'],
    about: 'removes all but the newest --keep backups, and the packs that only the removed ones list',
    run: prune,
  },
  'backup key': {
    args: ['FILE'],
    about: 'creates a key: writes the secret part to FILE and prints the recipient. Keep FILE on another machine',
    run: createKeyFile,
  },
  restore: {
    args: ['SOURCE'],
    about: 'restores a backup into an empty home with the settings of the new service; requires --identity',
    run: restore,
  },
  migrate: {
    args: [],
    about: 'moves a stopped service from SQLite to PostgreSQL and, to S3, its packs; run it with the new settings',
    run: migrate,
  },
}

function backUp(input: CommandInput): Promise<boolean> {
  const { config, isDryRun, report, signal } = input
  const destination = placeOf(input)
  const seal = createSealer(config.backup.recipients)
  return withDatabase(input, async ({ db, clock }) => {
    const secrets = await readSecrets(config)
    await requireSameSecret({
      db,
      secret: Buffer.from(secrets.storageSecret, 'hex'),
      secondarySecret: config.secondarySecret,
    })
    if (isDryRun) {
      await using place = await openPlaceIfExists(destination, config.backup)
      const plan = await planBackup({ config, db, place: place?.objects })
      report(
        { kind: 'plan', ...plan, isDryRun },
        `Dry run: ${plan.objects} objects, ${plan.copied} of them would be copied.`,
      )
      return true
    }
    await using place = await openPlace(destination, config.backup, 'write')
    const onProgress = showProgress(input)
    const onStale = (object: string) =>
      report(
        { kind: 'stale', object },
        `stale  ${object}: its copy is damaged, the stored pack is whole. Move the copy out of the destination and run the backup again.`,
      )
    const parts = { config, db, clock, place: place.objects, seal, secrets, signal, onProgress, onStale }
    const manifest = await createBackup(parts)
    const { id, objects } = manifest
    await db.write((trx) =>
      recordAction(trx, { action: 'backup', subject: id, after: { destination, ...objects } }, clock.now()),
    )
    report({ kind: 'backup', ...manifest }, describeBackup(manifest))
    if (objects.missing > 0) {
      const text = `${objects.missing} objects that the database names are missing in the store. Run cairn-admin check.`
      report({ kind: 'missing', count: objects.missing }, text)
    }
    if (objects.damaged > 0) {
      const text = `${objects.damaged} packs contain blocks that do not match their hashes. Run npm run storage:check -- --read-data 1.`
      report({ kind: 'damaged', count: objects.damaged }, text)
    }
    return objects.missing === 0 && objects.damaged === 0
  })
}

async function verify(input: CommandInput): Promise<boolean> {
  const { config, report, signal } = input
  const identityFile = input.text('identity')
  const open = identityFile === undefined ? undefined : await readIdentity(identityFile)
  await using place = await openPlace(placeOf(input), config.backup, 'read')
  const counts = await verifyBackups({
    place: place.objects,
    id: input.text('backup'),
    open,
    signal,
    onProgress: showProgress(input),
    onFinding: (finding) => report(finding, `damaged  ${finding.backup}  ${finding.problem}`),
  })
  const { backups, objects, findings } = counts
  report({ kind: 'summary', ...counts }, `Backups read: ${backups}, objects: ${objects}. Findings: ${findings}.`)
  return findings === 0
}

function prune(input: CommandInput): Promise<boolean> {
  const { config, isDryRun, report, signal } = input
  const keep = readKeep(input.text('keep'))
  return withDatabase(input, async ({ db, clock }) => {
    await using place = await openPlace(placeOf(input), config.backup, isDryRun ? 'read' : 'write')
    const database = await readStoreName(db.read)
    const pruned = await pruneBackups({ place: place.objects, database, keep, isDryRun, signal })
    const { backups, objects, bytes, kept } = pruned
    if (!isDryRun) {
      const entry = { action: 'backup prune', subject: placeOf(input), after: { backups, objects, bytes } }
      await db.write((trx) => recordAction(trx, entry, clock.now()))
    }
    const text = `Backups removed: ${backups.length}, with ${objects} objects (${formatBytes(bytes)}). Backups kept: ${kept}.`
    report({ kind: 'pruned', ...pruned, isDryRun }, isDryRun ? `Dry run: ${text}` : text)
    return true
  })
}

async function restore(input: CommandInput): Promise<boolean> {
  const { config, isDryRun, report, signal } = input
  const identityFile = input.text('identity')
  if (identityFile === undefined) throw wrongUse('--identity is required. It sets the file with the key')
  const open = await readIdentity(identityFile)
  await using place = await openPlace(placeOf(input), config.backup, 'read')
  const { manifest, rows, copied, lost, secret, secondary } = await restoreBackup({
    config,
    clock: { now: () => Date.now() },
    place: place.objects,
    id: input.text('backup'),
    open,
    isDryRun,
    allowsDamage: input.has('allow-damage'),
    signal,
    onProgress: showProgress(input),
    record: (trx, { id, createdAt, database }, { missing }) =>
      recordAction(
        trx,
        { action: 'restore', subject: id, after: { createdAt, missing, migrations: database.migrations.length } },
        Date.now(),
      ),
    onLost: (object, reason) => report({ kind: 'lost', object, reason }, `${reason}  ${object}`),
  })
  const json = { kind: 'restored', backup: manifest.id, rows, copied, lost, secret, secondary, isDryRun }
  const lines = isDryRun
    ? [`Dry run: backup ${manifest.id} of ${manifest.createdAt} would be restored.`]
    : [`Restored backup ${manifest.id} of ${manifest.createdAt}: ${rows} rows, ${copied} objects copied, ${lost} lost.`]
  if (!isDryRun && secret === 'written') lines.push('The secret was written to storage.key in CAIRN_HOME.')
  if (secondary !== undefined) lines.push(`Set CAIRN_STORAGE_SECRET_SECONDARY_FILE to ${secondary} in CAIRN_HOME.`)
  report(json, lines.join('\n'))
  return lost === 0
}

async function migrate(input: CommandInput): Promise<boolean> {
  const { config, isDryRun, report, signal } = input
  const to = input.text('to')
  if (to !== 'postgres' && to !== 's3') throw wrongUse('--to is required: postgres or s3')
  const migrated = await migrateStore({
    config,
    to,
    clock: { now: () => Date.now() },
    isDryRun,
    signal,
    onProgress: showProgress(input),
    record: (trx, { missing }) =>
      recordAction(
        trx,
        { action: 'migrate', subject: to, before: { database: 'sqlite' }, after: { missing } },
        Date.now(),
      ),
    onFinding: (object, reason) => report({ kind: 'finding', object, reason }, `${reason}  ${object}`),
  })
  const { rows, tables, objects, copied, findings } = migrated
  const text = isDryRun
    ? `Dry run: ${rows} rows of ${tables} tables and ${objects} objects would be moved.`
    : `Moved ${rows} rows of ${tables} tables and ${objects} objects (${copied} copied now), all compared. The source is unchanged, and no service can start on it again.`
  report({ kind: 'migrated', to, ...migrated, isDryRun }, text)
  return findings === 0
}

function describeBackup({ id, createdAt, database, objects }: Manifest): string {
  return `${id}  ${createdAt}  ${database.rows} rows, ${objects.count} objects with ${formatBytes(objects.bytes)}, ${objects.copied} of them copied`
}

const placeOf = ({ args }: CommandInput): string => args[0] ?? ''

function showProgress({ onProgress }: CommandInput): OnProgress {
  return ({ phase, done, of, bytes }) => {
    const total = of === undefined ? '' : ` of ${of}`
    const size = bytes === undefined ? '' : `, ${formatBytes(bytes)}`
    onProgress(phase === 'database' ? `${done}${total} rows` : `${done}${total} objects${size}`)
  }
}
