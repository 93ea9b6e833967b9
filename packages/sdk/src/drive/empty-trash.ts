import { CairnError } from '@cairn/protocol'
import type { CallOptions } from '../request.ts'
import { type Deletions, deleteUploads, type OpenState } from './delete-uploads.ts'
import type { Registers } from './log/registers.ts'
import { timeOf } from './log/stamp.ts'
import { readTrustedNow } from './trusted-now.ts'
import type { DriveItem } from './view/items.ts'
import { type DriveUpload, fields, rootId } from './view/nodes.ts'
import type { View } from './view/view.ts'

/** Time that deleted items stay in the trash, in ms: 30 days. */
const trashMs = 30 * 86_400_000
/** Attempts to remove entries while other devices change the drive. */
const maxAttempts = 40
/** Entries that certainly fit into one part. More of them are removed whatever other devices change meanwhile. */
const maxConditional = 2_500

/** What {@link Drive.emptyTrash} deleted. Items that another device restored meanwhile are not counted. */
export type EmptiedTrash = {
  items: number
  uploads: number
  /** Items that stay in the trash, because objects of S3 buckets have their content. */
  kept: number
}

export type EmptyTrashOptions = CallOptions & { olderThanMs?: number; ids?: readonly string[] }

/** What deleting some items of the trash removes in the current state of the drive. */
type Plan = {
  /** When each item went to the trash, in ms since 1970, by its id. */
  roots: ReadonlyMap<string, number>
  /** Entries to clear. */
  entries: readonly string[]
  /** CIDs that no other item has, with the time of their last item. */
  cids: ReadonlyMap<string, number>
}

/**
 * Deletes items of the trash permanently.
 * @param clear removes entries of the drive, and keeps the names of those that stay; a conditional call throws
 *   PRECONDITION_FAILED if another device changed the drive
 */
export async function emptyTrash(
  state: OpenState,
  clear: (
    entries: readonly string[],
    names: ReadonlyMap<string, string>,
    isConditional: boolean,
    options: CallOptions,
  ) => Promise<void>,
  { olderThanMs = trashMs, ids, ...options }: EmptyTrashOptions,
): Promise<EmptiedTrash> {
  await state.reload(options)
  const now = ids === undefined ? await readTrustedNow(state.client, state.log.revision, options) : Date.now()
  const latest = ids === undefined ? now - olderThanMs : Number.POSITIVE_INFINITY
  const view = state.view()
  const wanted = ids && new Set(ids)
  const candidates = [...view.trashed()].filter((id) => wanted?.has(id) !== false)
  // Later uploads of the same content stay.
  const uploads = groupByCid(state.index.rows)
  const plan = (): Plan => {
    const roots = new Map<string, number>()
    for (const id of candidates) {
      const trashedAt = findTrashedAt(view, state.registers(), id, now)
      if (trashedAt !== undefined && trashedAt <= latest) roots.set(id, trashedAt)
    }
    return { roots, ...findDeleted(view, state.registers(), roots) }
  }
  let current = plan()
  if (current.roots.size === 0) return { items: 0, uploads: 0, kept: 0 }
  const choose = (): DriveUpload[] => {
    current = plan()
    const all = [...current.cids].flatMap(([cid, trashedAt]) => withoutLater(uploads.get(cid) ?? [], trashedAt))
    return all.filter(({ managedBy }) => managedBy !== 's3')
  }
  const names = namesOf(view, current.entries)
  const done: Deletions = { deleted: new Set(), kept: new Set() }
  let stay: ReadonlySet<string>
  try {
    await deleteUploads(state, choose, done, options)
    await state.readChanges(options)
    current = plan()
    stay = findStaying(view, current.cids, ({ cid }) =>
      (uploads.get(cid) ?? []).some(({ id, managedBy }) => managedBy === 's3' || done.kept.has(id)),
    )
  } finally {
    state.removeUploads(done.deleted)
  }
  // Content first: if its entry were cleared before, content that is still stored would appear in the root.
  let entries = current.entries.filter((id) => !stay.has(id))
  const staying = new Map([...names].filter(([id]) => stay.has(id)))
  for (let attempt = 1; ; attempt++) {
    try {
      await clear(entries, staying, entries.length + staying.size <= maxConditional && attempt < maxAttempts, options)
      break
    } catch (error) {
      if (!CairnError.is(error, 'PRECONDITION_FAILED')) throw error
      await state.readChanges(options)
      const left = new Set(plan().entries)
      // Files whose content was deleted are in no folder any more.
      entries = entries.filter((id) => left.has(id) || view.get(id) === undefined)
    }
  }
  const cleared = new Set(entries)
  const roots = [...current.roots.keys()]
  return {
    items: roots.filter((id) => cleared.has(id)).length,
    uploads: done.deleted.size,
    kept: roots.filter((id) => stay.has(id)).length,
  }
}

/** Names that items are shown with; without the upload that gave it, another upload of the same content would name an item. */
function namesOf(view: View, ids: readonly string[]): ReadonlyMap<string, string> {
  return new Map(ids.flatMap((id) => view.get(id) ?? []).map(({ id, rawName }) => [id, rawName]))
}

/** Lists the trash, deleted last first, with the times that decide when an item is due. */
export function listTrash(view: View, registers: Registers): DriveItem[] {
  const now = Date.now()
  const found = Array.from(view.trashed(), (id) => view.get(id)).filter((node) => node !== undefined)
  return found
    .map((node) => {
      const item = view.itemOf(node)
      const trashedAt = findTrashedAt(view, registers, node.id, now)
      return trashedAt === item.trashedAt ? item : { ...item, trashedAt }
    })
    .sort((a, b) => (b.trashedAt ?? 0) - (a.trashedAt ?? 0))
}

/**
 * Returns when an item was moved to the trash, in ms since 1970. Corrects the time of a slow clock by the stamp of the change,
 * which such a clock cannot set back. Ignores a stamp in the future, which a fast clock made.
 * @returns undefined for an item that is not in the trash by itself
 */
function findTrashedAt(view: View, { entries }: Registers, id: string, now: number): number | undefined {
  const { trashedAt } = view.get(id) ?? {}
  const stampedAt = timeOf(entries.get(id)?.fields.get(fields.trashedAt)?.at ?? '')
  return trashedAt === undefined || !(stampedAt <= now) ? trashedAt : Math.max(trashedAt, stampedAt)
}

/**
 * Returns the entries to clear when these items are deleted, and the CIDs that no other item has. Another device may not know
 * that an item is in the trash: what it adds to a deleted folder, or to a deleted file as a version, stays.
 */
function findDeleted(
  view: View,
  { entries: registers }: Registers,
  roots: Plan['roots'],
): Pick<Plan, 'entries' | 'cids'> {
  const stampOf = (id: string, field: string) => registers.get(id)?.fields.get(field)?.at ?? ''
  const rootOf = (start: string): string | undefined => {
    let movedAt = ''
    for (let id = start; id !== rootId; id = view.get(id)?.parent ?? rootId) {
      if (roots.has(id) && movedAt <= stampOf(id, fields.trashedAt)) return id
      const at = stampOf(id, fields.parent)
      if (at > movedAt) movedAt = at
    }
    return undefined
  }
  const entries: string[] = []
  const cids = new Map<string, number>()
  const kept = new Set<string>()
  for (const { id, versions = [] } of view.nodes()) {
    const root = rootOf(id)
    if (root !== undefined) entries.push(id)
    for (const { cid } of versions) {
      const isLater = root !== undefined && stampOf(id, fields.version(cid)) > stampOf(root, fields.trashedAt)
      if (root === undefined || isLater) kept.add(cid)
      else cids.set(cid, Math.max(roots.get(root) ?? 0, cids.get(cid) ?? 0))
    }
  }
  for (const cid of kept) cids.delete(cid)
  return { entries, cids }
}

/** Returns the files whose content stays stored, and their folders: without an entry, they would be in the root. */
function findStaying(
  view: View,
  cids: Plan['cids'],
  isStored: (version: { cid: string }) => boolean,
): ReadonlySet<string> {
  const stay = new Set<string>()
  for (const node of view.nodes()) {
    if (!node.versions?.some((version) => cids.has(version.cid) && isStored(version))) continue
    for (let id = node.id; id !== rootId && !stay.has(id); id = view.get(id)?.parent ?? rootId) stay.add(id)
  }
  return stay
}

/**
 * Omits uploads from after the item went to the trash: the content was stored again. The clocks of the device and of the service
 * may differ, so the oldest upload is never omitted.
 */
function withoutLater(uploads: readonly DriveUpload[], trashedAt: number): DriveUpload[] {
  const latest = uploads.reduce((oldest, { createdAt }) => Math.min(oldest, createdAt), Number.POSITIVE_INFINITY)
  return uploads.filter(({ createdAt }) => createdAt <= Math.max(trashedAt, latest))
}

function groupByCid(rows: readonly DriveUpload[]): ReadonlyMap<string, readonly DriveUpload[]> {
  const groups = new Map<string, DriveUpload[]>()
  for (const upload of rows) {
    const known = groups.get(upload.cid)
    if (known === undefined) groups.set(upload.cid, [upload])
    else known.push(upload)
  }
  return groups
}
