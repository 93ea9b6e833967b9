import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { listBackupIds, type Manifests } from '../backup/backup-files.ts'
import type { BackupSettings } from '../backup/backup-settings.ts'
import { type BackupPlace, openPlace } from '../backup/place.ts'
import { createBackupKey, createOpener, type Opener } from '../backup/seal.ts'
import { errnoOf } from '../objects/file-errors.ts'
import type { AdminTool, ToolInput } from './run-tool.ts'
import { wrongUse } from './wrong-use.ts'

// The arguments that the commands for backups have in every tool.

const restoring = ['restore', 'backup verify']

/** The options of the commands for backups. */
export const backupOptions = {
  identity: {
    commands: restoring,
    value: 'FILE',
    about: 'file with the AGE-SECRET-KEY of the backup, for restore and backup verify',
  },
  backup: {
    commands: restoring,
    value: 'ID',
    about: 'backup to restore or verify; the newest, or all, by default',
  },
  keep: { commands: ['backup prune'], value: 'COUNT', about: 'backups that prune keeps' },
} as const satisfies AdminTool<never>['options']

/** Creates a key for backups: writes the identity to a new file and prints the recipient. */
export async function createKeyFile({
  args,
  isDryRun,
  report,
}: Pick<ToolInput, 'args' | 'isDryRun' | 'report'>): Promise<boolean> {
  const path = resolve(args[0] ?? '')
  const { identity, recipient } = await createBackupKey()
  if (!isDryRun) await writeNew(path, `# recipient: ${recipient}\n${identity}\n`)
  report({ kind: 'key', recipient, file: path, isDryRun }, recipient)
  return true
}

/** Reports the finished backups of a destination, oldest first, in the words of the tool. */
export async function reportBackups<Manifest extends { id: string }>(
  destination: string,
  settings: Pick<BackupSettings, 's3'>,
  manifests: Manifests<Manifest>,
  report: (manifest: Manifest) => void,
): Promise<boolean> {
  await using place = await openPlace(destination, settings, 'read')
  for (const id of await listBackupIds(place.objects)) report(await manifests.read(place.objects, id))
  return true
}

/** Reads the file of --identity. @throws CairnError USAGE, BACKUP_KEY */
export async function readIdentity(path: string): Promise<Opener> {
  try {
    return createOpener(await readFile(path, 'utf8'))
  } catch (error) {
    if (CairnError.is(error)) throw error
    throw wrongUse(`${path} cannot be read (${String(errnoOf(error))})`, 'Name the file that `backup key` wrote.')
  }
}

/** Reads the number of --keep. @throws CairnError USAGE */
export function readKeep(text: string | undefined): number {
  if (!/^[1-9]\d{0,5}$/.test(text ?? '')) throw wrongUse('--keep is required: a number from 1')
  return Number(text)
}

/** Opens a destination for a dry run, which creates no folder. */
export async function openPlaceIfExists(
  destination: string,
  settings: Pick<BackupSettings, 's3'>,
): Promise<BackupPlace | undefined> {
  try {
    return await openPlace(destination, settings, 'read')
  } catch (error) {
    if (CairnError.is(error, 'NOT_FOUND')) return undefined
    throw error
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'EEXIST')
      throw wrongUse(
        `${path} already exists`,
        'Name a file that does not exist yet. An existing one is never replaced, because backups may need the key in it.',
      )
    throw wrongUse(
      `${path} cannot be written (${String(errno)})`,
      errno === 'ENOENT'
        ? 'Create its folder first, or name a file in another one.'
        : 'Name a file in a folder that you may write to.',
    )
  }
}
