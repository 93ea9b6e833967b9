import {
  createKeyFile,
  openPlaceIfExists,
  readIdentity,
  readKeep,
  recordAction,
  reportBackups,
  wrongUse,
} from '@cairn/service/admin'
import { createSealer, openPlace, requireOwnPlace } from '@cairn/service/backup'
import { createBackup, placeOwnerOf, readNode } from '../backup/create-backup.ts'
import { pruneBackups, verifyBackups } from '../backup/keep-backups.ts'
import { type Manifest, manifests } from '../backup/manifest.ts'
import { restoreBackup, secondaryFileName, secretFileName } from '../backup/restore-backup.ts'
import { openNode } from '../open-keys.ts'
import { type Command, type CommandInput, withDatabase } from './command.ts'

/** Commands that create, check and restore backups. */
export const backupCommands: Readonly<Record<string, Command>> = {
  backup: {
    args: ['DESTINATION'],
    about: 'backs up shards, rights and the secret to a folder or s3://bucket/prefix, while the node runs or not',
    run: backUp,
  },
  'backup list': {
    args: ['DESTINATION'],
    about: 'lists the finished backups, oldest first',
    run: (input) =>
      reportBackups(placeOf(input), input.readBackupConfig(), manifests, (manifest) =>
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
    about: 'removes all but the newest --keep backups',
    run: prune,
  },
  'backup key': {
    args: ['FILE'],
    about: 'creates a key: writes the secret part to FILE and prints the recipient. Keep FILE on another machine',
    run: createKeyFile,
  },
  restore: {
    args: ['SOURCE'],
    about: 'restores a backup into an empty home with the settings of the new node; requires --identity',
    run: restore,
  },
}

function backUp(input: CommandInput): Promise<boolean> {
  const { isDryRun, report, signal, onProgress } = input
  const destination = placeOf(input)
  return withDatabase(input, async ({ config, db, clock }) => {
    const seal = createSealer(config.backup.recipients)
    // A backup with another secret would open no shard.
    await openNode(db, config)
    if (isDryRun) {
      const owner = placeOwnerOf((await readNode(db)).name)
      await using place = await openPlaceIfExists(destination, config.backup)
      if (place !== undefined) await requireOwnPlace(place.objects, owner)
      report({ kind: 'plan', destination, isDryRun }, `Dry run: node ${config.node} would be backed up.`)
      return true
    }
    await using place = await openPlace(destination, config.backup, 'write')
    const onRows = (rows: number) => onProgress(`${rows} rows`)
    const manifest = await createBackup({ config, db, clock, place: place.objects, seal, signal, onRows })
    const { id, database } = manifest
    await db.write((trx) =>
      recordAction(trx, { action: 'backup', subject: id, after: { destination, rows: database.rows } }, clock.now()),
    )
    report({ kind: 'backup', ...manifest }, describeBackup(manifest))
    return true
  })
}

async function verify(input: CommandInput): Promise<boolean> {
  const { report, signal } = input
  const identityFile = input.text('identity')
  const open = identityFile === undefined ? undefined : await readIdentity(identityFile)
  await using place = await openPlace(placeOf(input), input.readBackupConfig(), 'read')
  const counts = await verifyBackups({
    place: place.objects,
    id: input.text('backup'),
    open,
    signal,
    onFinding: (finding) => report(finding, `damaged  ${finding.backup}  ${finding.problem}`),
  })
  report({ kind: 'summary', ...counts }, `Backups read: ${counts.backups}. Findings: ${counts.findings}.`)
  return counts.findings === 0
}

function prune(input: CommandInput): Promise<boolean> {
  const { isDryRun, report } = input
  const keep = readKeep(input.text('keep'))
  return withDatabase(input, async ({ config, db, clock }) => {
    await using place = await openPlace(placeOf(input), config.backup, isDryRun ? 'read' : 'write')
    const owner = placeOwnerOf((await readNode(db)).name)
    const pruned = await pruneBackups({ place: place.objects, owner, keep, isDryRun })
    const { backups, kept } = pruned
    if (!isDryRun) {
      const entry = { action: 'backup prune', subject: placeOf(input), after: { backups } }
      await db.write((trx) => recordAction(trx, entry, clock.now()))
    }
    const text = `Backups removed: ${backups.length}, kept: ${kept}.`
    report({ kind: 'pruned', ...pruned, isDryRun }, isDryRun ? `Dry run: ${text}` : text)
    return true
  })
}

async function restore(input: CommandInput): Promise<boolean> {
  const { isDryRun, report, signal, readConfig, onProgress } = input
  const identityFile = input.text('identity')
  if (identityFile === undefined) throw wrongUse('--identity is required. It sets the file with the key')
  const open = await readIdentity(identityFile)
  await using place = await openPlace(placeOf(input), input.readBackupConfig(), 'read')
  const { manifest, rows, keys, secret, hasSecondary } = await restoreBackup({
    readConfig,
    clock: { now: () => Date.now() },
    place: place.objects,
    id: input.text('backup'),
    open,
    isDryRun,
    signal,
    onRows: (count) => onProgress(`${count} rows`),
  })
  const lines = isDryRun
    ? [`Dry run: backup ${manifest.id} of ${manifest.createdAt} would be restored.`]
    : [
        `Restored backup ${manifest.id} of ${manifest.createdAt}: ${rows} rows with ${keys} ${keys === 1 ? 'key' : 'keys'}.`,
        'Each key answers again when three other nodes, or its owner, confirm its state.',
      ]
  if (!isDryRun && secret === 'written')
    lines.push(
      `The secret was written to ${secretFileName} in CAIRN_KEYNODE_HOME. Set CAIRN_KEYNODE_SECRET_FILE to it.`,
    )
  if (hasSecondary) lines.push(`Set CAIRN_KEYNODE_SECRET_SECONDARY_FILE to ${secondaryFileName} in CAIRN_KEYNODE_HOME.`)
  report({ kind: 'restored', backup: manifest.id, rows, keys, secret, isDryRun }, lines.join('\n'))
  return true
}

function describeBackup({ id, createdAt, node, database }: Manifest): string {
  return `${id}  ${createdAt}  node ${node}, ${database.rows} rows`
}

const placeOf = ({ args }: CommandInput): string => args[0] ?? ''
