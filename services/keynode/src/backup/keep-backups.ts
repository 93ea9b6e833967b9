import { CairnError } from '@cairn/protocol'
import {
  backupKey,
  listBackupIds,
  type Opener,
  readDump,
  readStored,
  readWhole,
  requireOwnPlace,
} from '@cairn/service/backup'
import type { ObjectStore } from '@cairn/service/objects'
import { type Manifest, manifests } from './manifest.ts'
import { parseSecrets } from './secrets.ts'

/** A file that does not match its backup. */
export type BackupFinding = { kind: 'damaged'; backup: string; object: string; problem: string }

/** Dependencies of a verification. */
export type VerifyParts = {
  place: ObjectStore
  /** All backups when undefined. */
  id: string | undefined
  /** Decrypts the files too when given. */
  open: Opener | undefined
  signal: AbortSignal
  onFinding(finding: BackupFinding): void
}

/**
 * Reads backups completely and compares every sum. Returns the number of backups and findings.
 * @throws CairnError NOT_FOUND, BACKUP_NEWER, BACKUP_KEY
 */
export async function verifyBackups(parts: VerifyParts): Promise<{ backups: number; findings: number }> {
  const { place, open, signal } = parts
  const all = parts.id === undefined ? await listBackupIds(place) : []
  // Nothing to verify is an error, not a success.
  const ids = all.length > 0 ? all : [(await manifests.find(place, parts.id)).id]
  let findings = 0
  const check = async <T>(backup: string, object: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (error) {
      if (!CairnError.is(error, 'BACKUP_DAMAGED')) throw error
      findings++
      parts.onFinding({ kind: 'damaged', backup, object, problem: error.message })
      return undefined
    }
  }
  for (const id of ids) {
    const manifest = await check(id, backupKey(id, 'manifest.json'), () => manifests.read(place, id))
    if (manifest === undefined) continue
    const { database, secrets } = manifest.files
    await check(id, secrets.key, async () => {
      const bytes = await readWhole(open === undefined ? readStored(place, secrets) : open(readStored(place, secrets)))
      if (open !== undefined) parseSecrets(bytes, secrets.key)
    })
    await check(id, database.key, async () => {
      const stored = readStored(place, database, signal)
      for await (const _part of open === undefined ? stored : readDump(open(stored), database.key));
    })
  }
  return { backups: ids.length, findings }
}

/** Dependencies of a prune. */
export type PruneParts = {
  place: ObjectStore
  /** Whose backups are removed. */
  owner: string
  /** Number of the newest backups that stay, at least 1. */
  keep: number
  isDryRun: boolean
}

/**
 * Removes the oldest backups, and nothing while a manifest cannot be read. The manifest goes first, so an interrupted
 * run leaves no backup that is incomplete.
 * @throws CairnError BACKUP_OF_ANOTHER, BACKUP_DAMAGED, BACKUP_NEWER
 */
export async function pruneBackups({ place, owner, keep, isDryRun }: PruneParts): Promise<{
  backups: string[]
  kept: number
}> {
  await requireOwnPlace(place, owner)
  const all: Manifest[] = []
  for (const id of await listBackupIds(place)) all.push(await manifests.read(place, id))
  const kept = all.slice(-keep)
  const old = all.slice(0, all.length - kept.length)
  for (const { id, files } of isDryRun ? [] : old) {
    for (const key of [backupKey(id, 'manifest.json'), files.database.key, files.secrets.key]) await place.remove(key)
  }
  return { backups: old.map(({ id }) => id), kept: kept.length }
}
