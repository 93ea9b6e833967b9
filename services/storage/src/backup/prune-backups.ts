import { backupKey, listBackupIds, readPieces, requireOwnPlace } from '@cairn/service/backup'
import type { ObjectStore } from '@cairn/service/objects'
import { listListedIds, type Manifest, manifests, objectsName, parseObjectLines, readObjectLines } from './manifest.ts'

/** Result of a prune. */
export type Pruned = { backups: string[]; objects: number; bytes: number; kept: number }

/** Dependencies of a prune. */
export type PruneParts = {
  place: ObjectStore
  database: string
  /** Number of the newest backups that stay, at least 1. */
  keep: number
  isDryRun: boolean
  signal: AbortSignal
}

/**
 * Removes the oldest backups, and the objects that only they list: the list of a backup of this database proves that an object
 * was written as a copy. Nothing is removed because a record of it is missing, and nothing at all when a manifest or a list
 * cannot be read. The manifest of a backup goes first and its list last, so an interrupted run leaves no backup that is
 * incomplete, and the next run continues.
 *
 * @throws CairnError BACKUP_OF_ANOTHER, BACKUP_DAMAGED, BACKUP_NEWER
 */
export async function pruneBackups({ place, database, keep, isDryRun, signal }: PruneParts): Promise<Pruned> {
  await requireOwnPlace(place, database)
  const all: Manifest[] = []
  for (const id of await listBackupIds(place)) all.push(await manifests.read(place, id))
  const keptBackups = all.slice(-keep)
  const old = all.slice(0, all.length - keptBackups.length)
  const kept = new Set<string>()
  for (const manifest of keptBackups) for await (const { key } of readObjectLines(place, manifest)) kept.add(key)
  const lists = (await listListedIds(place)).filter((id) => !keptBackups.some((manifest) => manifest.id === id))
  const removable = new Map<string, number>()
  for (const id of lists) {
    const name = backupKey(id, objectsName)
    const list = readPieces(place, name, (await place.size(name)) ?? 0)
    for await (const line of parseObjectLines(list, name))
      if (!('missing' in line) && !kept.has(line.key)) removable.set(line.key, line.bytes)
  }
  const pruned = {
    backups: old.map(({ id }) => id),
    objects: removable.size,
    bytes: [...removable.values()].reduce((sum, bytes) => sum + bytes, 0),
    kept: keptBackups.length,
  }
  if (isDryRun) return pruned
  for (const { id, files } of old) {
    for (const key of [backupKey(id, 'manifest.json'), files.database.key, files.secrets.key]) await place.remove(key)
  }
  for (const key of removable.keys()) {
    signal.throwIfAborted()
    await place.remove(key)
  }
  for (const id of lists) await place.remove(backupKey(id, objectsName))
  return pruned
}
