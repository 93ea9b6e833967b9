import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import type { CallOptions } from '../request.ts'
import { type DriveContact, readContacts } from './contacts.ts'
import type { OpenState } from './delete-uploads.ts'
import { type DriveDuplicates, findDuplicates, type RemovedCopies, removeCopies } from './duplicates.ts'
import { type DriveEditor, startEdit } from './edit.ts'
import { type EmptiedTrash, type EmptyTrashOptions, emptyTrash, listTrash } from './empty-trash.ts'
import { type Listing, listNewest, listNewUploads, listUploads } from './list-uploads.ts'
import { appendChanges, createLog, type KnownDrive, mergeParts, needsMerge, readChanges, toKnown } from './log/log.ts'
import { listMissing } from './log/missing-changes.ts'
import { applyChange, type Change, createRegisters } from './log/registers.ts'
import { createDeviceName, createStamp, type Stamp } from './log/stamp.ts'
import { findNode, splitPath } from './paths.ts'
import type { DriveItem } from './view/items.ts'
import { type DriveUpload, rootId } from './view/nodes.ts'
import { createUploadIndex } from './view/upload-index.ts'
import { createView } from './view/view.ts'

export type DriveOptions = CallOptions & {
  /**
   * `known` of an earlier run, as this device stored it. A service that returns an older drive is then detected.
   */
  known?: KnownDrive | undefined
  /** The uploads of the account, if they are known. Defaults to `listFiles`. */
  uploads?: readonly DriveUpload[]
  /**
   * Lists only the uploads that were added since the last listing, or since `uploads`: one call, if none was deleted. Uploads
   * that other devices renamed keep their former name until the next full reload.
   */
  isQuick?: boolean
}

/** Options of {@link openDrive}. */
export type OpenDriveOptions = DriveOptions & {
  /** Opens with the newest uploads only: one call. `isListed` is false until `reload` has listed the others. */
  isPartial?: boolean
  /** Splits computations over very many items into short steps, so that a page stays responsive. They take longer in total. */
  inSteps?: boolean
}

/** The folders in which an account arranges its uploads: an index that only its owner can read. */
export type Drive = {
  /** Number of changes so far. */
  readonly revision: number
  /** Store it on this device for the next {@link openDrive}; undefined before the first change. */
  readonly known: KnownDrive | undefined
  /** The uploads that the items come from. Store them for a quick {@link openDrive}. */
  readonly uploads: readonly DriveUpload[]
  /** False while only the newest uploads are listed (`isPartial`): older files are missing. */
  readonly isListed: boolean
  /** Number and size of the encrypted parts. */
  readonly size: { parts: number; bytes: number }
  /**
   * Lists a folder: folders first, then files, by name.
   * @param path defaults to the root
   * @throws CairnError PATH_NOT_FOUND, NOT_A_DIRECTORY
   */
  list(path?: string): DriveItem[]
  /** Returns the item at a path; undefined if there is none, and for the root. */
  find(path: string): DriveItem | undefined
  /** Returns the item with an id, in the trash or outside; undefined if there is none. */
  get(id: string): DriveItem | undefined
  /** Returns every item outside the trash, in no particular order. */
  all(): DriveItem[]
  /**
   * Lists the trash, deleted last first. Items inside a deleted folder belong to it. The time of deletion is the one that decides
   * when an item is due, whatever the clock of its device said.
   */
  trash(): DriveItem[]
  /**
   * Lists content that was uploaded several times, most bytes in copies first. Objects of S3 buckets and pins are not copies, and
   * neither is the only public, private or encrypted upload of the content.
   */
  duplicates(): DriveDuplicates[]
  /**
   * Deletes copies that {@link Drive.duplicates} lists, after it has listed the uploads again.
   * @param options `ids` of uploads; defaults to all copies
   * @throws CairnError CONFLICT, FORBIDDEN
   */
  removeCopies(options?: CallOptions & { ids?: readonly string[] }): Promise<RemovedCopies>
  /** Lists the tags of the items outside the trash, most used first. */
  tags(): string[]
  /** Lists the addresses that files were shared with or that have a label, last used first. */
  contacts(): DriveContact[]
  /**
   * Changes the drive, and stores the change. Changes of other devices are merged: if two values conflict, the later one
   * counts. If the edit throws, nothing is changed.
   * @returns what the edit returned
   * @throws CairnError those of {@link DriveEditor}, CONFLICT, FORBIDDEN, VERIFICATION_FAILED, and those of `saveKey` for the
   *   first change
   */
  change<T>(edit: (editor: DriveEditor) => T, options?: CallOptions): Promise<T>
  /** Reads the changes of other devices, and the uploads. @throws CairnError VERIFICATION_FAILED */
  reload(options?: DriveOptions): Promise<void>
  /**
   * Calls the listener whenever items may have changed: after an edit, before it is stored; after an edit failed and was undone;
   * after a reload found something new.
   * @returns a function that ends the subscription
   */
  subscribe(listener: () => void): () => void
  /**
   * Permanently deletes items that have been in the trash for 30 days: all versions of their content, unless another item has the
   * same content, and their entries. Never runs automatically. Items that other devices restore or upload in the meantime stay.
   * Items that they add to a folder or file after it was deleted stay too, in the root. Objects of S3 buckets stay, and so do the
   * items that have the same content.
   * @param options `ids` deletes these items now; `olderThanMs` deletes items that have been in the trash for that long
   * @throws CairnError CONFLICT, FORBIDDEN, and those of `change`
   */
  emptyTrash(options?: EmptyTrashOptions): Promise<EmptiedTrash>
  /** Merges the state of another drive into this one, as `cairn import` does. @returns number of changed values */
  merge(changes: readonly Change[], options?: CallOptions): Promise<number>
}

/**
 * Opens the drive of the account: reads the encrypted index, fetches its key from the key nodes, and lists the uploads. An
 * account without a drive has all uploads in the root; the first change creates the index and its key.
 * @param client with an API key and a session with the key nodes
 * @example
 * const drive = await openDrive(client)
 * await drive.change((edit) => {
 *   edit.createFolder('/photos')
 *   edit.move('/sunset.jpg', '/photos')
 * })
 * @throws CairnError VERIFICATION_FAILED (an older drive than `known`, or a changed one), DECRYPTION_FAILED, NO_SESSION, and
 *   those of `getKey` and `listFiles`
 */
export async function openDrive(client: Client, options: OpenDriveOptions = {}): Promise<Drive> {
  const log = createLog()
  const device = createDeviceName()
  const index = createUploadIndex()
  let state = createRegisters()
  let view = createView(state, index)
  let isListed = true
  /** An edit could not be undone exactly: everything is read again. */
  let isDoubtful = false
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of listeners) listener()
  }

  const apply = (changes: readonly Change[]) => {
    for (const change of changes) {
      applyChange(state, change)
      for (const [id] of change.set) view.touch([id])
      view.touch(change.clear)
    }
  }
  const list = async ({
    uploads: given,
    isQuick = false,
    isPartial = false,
    inSteps: _inSteps,
    ...callOptions
  }: OpenDriveOptions) => {
    const isKnown = given !== undefined || (isListed && index.rows.length > 0)
    if (isQuick && isKnown) {
      const known = given === undefined ? index : { rows: given, has: (id: string) => ids.has(id) }
      const ids = new Set(given?.map(({ id }) => id))
      const found = await listNewUploads(client, known, callOptions)
      if (found.isWhole || isPartial) return found
    } else if (given !== undefined) return { rows: given, isWhole: isListed }
    return isPartial ? listNewest(client, callOptions) : listUploads(client, callOptions)
  }
  /** @returns whether any upload was added, removed or renamed */
  const takeUploads = ({ rows, added }: Listing): boolean => {
    if (rows === index.rows && added !== undefined) {
      view.touch(index.add(added))
      return added.length > 0
    }
    const { changed, isSame } = index.replace(added === undefined ? rows : [...added, ...rows])
    view.touch(changed)
    return !isSame
  }
  const reload = async (given: OpenDriveOptions = {}): Promise<void> => {
    const {
      known,
      uploads: _listed,
      isQuick: _isQuick,
      isPartial: _isPartial,
      inSteps: _inSteps,
      ...callOptions
    } = given
    const wasDoubtful = isDoubtful
    // Works on a copy, because a read that fails must not change what is shown.
    const next = wasDoubtful ? createLog() : { ...log }
    const [changes, listing] = await Promise.all([
      readChanges(client, next, toKnown(log) ?? known, callOptions),
      list({ ...given, ...callOptions }),
    ])
    Object.assign(log, next)
    if (wasDoubtful) {
      state = createRegisters()
      view = createView(state, index)
      isDoubtful = false
    }
    const wasListed = isListed
    isListed = listing.isWhole
    const isChanged = takeUploads(listing) || wasListed !== isListed
    apply(changes)
    if (options.inSteps === true) await view.prepare()
    if (isChanged || changes.length > 0 || wasDoubtful) notify()
  }
  /** Stamp of the last edit. A request that seemed lost may store it later, so that no other edit may have the same one. */
  let lastAt: Stamp | undefined
  /** Changes run one after the other. */
  let last: Promise<unknown> = Promise.resolve()
  const inOrder = <T>(run: () => Promise<T>): Promise<T> => {
    const next = last.then(run, run)
    last = next.catch(() => undefined)
    return next
  }
  const send = async (changes: readonly Change[], callOptions: CallOptions, isConditional = false): Promise<void> => {
    await appendChanges(client, log, changes, { ...callOptions, known: options.known, onChanges: apply, isConditional })
    // Merging only saves space: the change is stored.
    if (needsMerge(log)) await mergeParts(client, log, callOptions).catch(() => false)
  }
  /** @param isConditional throws PRECONDITION_FAILED if another device was faster; of a change that fits into one part */
  const change = async <T>(
    run: (editor: DriveEditor) => T,
    callOptions: CallOptions = {},
    isConditional = false,
  ): Promise<T> => {
    if (isDoubtful) await reload({ ...callOptions, uploads: index.rows })
    const now = Date.now()
    const seen = lastAt === undefined || (state.newest !== undefined && state.newest > lastAt) ? state.newest : lastAt
    lastAt = createStamp(seen, now, device)
    const edit = startEdit(state, view, lastAt, now)
    let isSent = false
    try {
      const result = run(edit.editor)
      const made = edit.finish()
      if (made.set.length === 0 && made.clear.length === 0) return result
      isSent = true
      notify()
      await send([made], callOptions, isConditional)
      return result
    } catch (error) {
      edit.undo()
      // A condition that is not met leaves nothing to read again.
      isDoubtful = isSent && !(isConditional && CairnError.is(error, 'PRECONDITION_FAILED'))
      throw error
    } finally {
      if (isSent) notify()
    }
  }
  const openState: OpenState = {
    client,
    log,
    index,
    view: () => view,
    registers: () => state,
    reload,
    readChanges: async (callOptions) => apply(await readChanges(client, log, options.known, callOptions)),
    removeUploads(ids) {
      if (ids.size === 0) return
      view.touch(index.replace(index.rows.filter(({ id }) => !ids.has(id))).changed)
      notify()
    },
  }

  await reload(options)
  return {
    get revision() {
      return log.revision
    },
    get known() {
      return toKnown(log)
    },
    get uploads() {
      return index.rows
    },
    get isListed() {
      return isListed
    },
    get size() {
      return { parts: log.partCount, bytes: log.sizeBytes }
    },
    list(path = '/') {
      if (splitPath(path).length === 0) return view.list(rootId)
      const node = findNode(view, path)
      if (node === undefined) throw new CairnError('PATH_NOT_FOUND', { message: `${path} does not exist in the drive` })
      if (node.versions === undefined) return view.list(node.id)
      throw new CairnError('NOT_A_DIRECTORY', { message: `${path} is a file, not a folder` })
    },
    find(path) {
      const node = findNode(view, path)
      return node && view.itemOf(node)
    },
    get(id) {
      const node = view.get(id)
      return node && view.itemOf(node)
    },
    all() {
      const found: DriveItem[] = []
      for (const node of view.nodes()) if (!view.isInTrash(node)) found.push(view.itemOf(node))
      return found
    },
    trash: () => listTrash(view, state),
    duplicates: () => findDuplicates(view, index),
    removeCopies: (given = {}) => inOrder(() => removeCopies(openState, given)),
    tags() {
      const counts = new Map<string, number>()
      for (const id of view.tagged()) {
        const node = view.get(id)
        if (node === undefined || view.isInTrash(node)) continue
        for (const tag of node.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
      }
      const sorted = [...counts].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
      return sorted.map(([tag]) => tag)
    },
    contacts: () => readContacts(state, view.contacts()),
    change: (run, callOptions) => inOrder(() => change(run, callOptions)),
    reload: (given) => inOrder(() => reload(given)),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    emptyTrash: (given = {}) =>
      inOrder(() =>
        emptyTrash(
          openState,
          (entries, names, isConditional, callOptions) =>
            change((edit) => edit.clear(entries, names), callOptions, isConditional),
          given,
        ),
      ),
    merge: (changes, callOptions = {}) =>
      inOrder(async () => {
        await reload({ ...callOptions, uploads: index.rows })
        const missing = listMissing(state, changes)
        try {
          await send(missing, callOptions)
        } catch (error) {
          // Some parts of it may be stored.
          isDoubtful = true
          throw error
        }
        apply(missing)
        notify()
        return missing.reduce((sum, { set, clear }) => sum + set.length + clear.length, 0)
      }),
  }
}
