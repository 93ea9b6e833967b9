import { randomUUID } from 'node:crypto'
import { open, opendir, readdir, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { makeFolder } from '../make-folder.ts'
import { createDirectReads, type ReadUse } from './direct-reads.ts'
import { watchHeadroom } from './disk-headroom.ts'
import { createDurableFolders, syncFolder } from './durable-folders.ts'
import { describeReadError, describeWriteError, errnoOf } from './file-errors.ts'
import { createFileWriter } from './file-writer.ts'
import { openLinkedMarks } from './linked-marks.ts'
import { modifiedOrGone, openFileMarks } from './marks.ts'
import { endsEarly } from './object-errors.ts'
import { type AbandonedObject, type ObjectStore, requireKey } from './objects.ts'
import { createOpenFiles } from './open-files.ts'
import { readWhole } from './read-whole.ts'
import { openReplicas, ownerOf, type ReplicaView } from './replicas.ts'
import { openUnconfirmedNotes } from './unconfirmed-notes.ts'

/** Number of files kept open between reads. */
const maxOpenFiles = 64
/** Number of names read from a folder per batch. */
const namesAtOnce = 1024

/** Options of a file store. */
export type FileStoreOptions = {
  /** Id of this process: lower-case letters, digits and hyphens. Defaults to a random UUID. */
  replica?: string
  /** Whether a lock excludes other processes. Defaults to false. */
  isAlone?: boolean
  /** Whether new objects leave some of the disk free, for the rows about objects. Defaults to false. */
  keepsHeadroom?: boolean
}

/**
 * Objects as files below `folder`: finished ones in `objects/`, unfinished ones in `tmp/`, notes of unconfirmed ones in
 * `unconfirmed/`, the file of each process behind them in `note-files/`, heartbeats in `replicas/`. One file system: rename must be atomic and sync must reach the disk.
 */
export async function openFileStore(
  folder: string,
  { replica = randomUUID(), isAlone = false, keepsHeadroom = false }: FileStoreOptions = {},
): Promise<ObjectStore> {
  const root = resolve(folder)
  const objects = join(root, 'objects')
  const temporaryFolder = join(root, 'tmp')
  const unconfirmedFolder = join(root, 'unconfirmed')
  const noteFolder = join(root, 'note-files')
  const replicaFolder = join(root, 'replicas')
  try {
    makeFolder(root)
    await syncFolder(dirname(root))
  } catch (error) {
    throw describeWriteError(error)
  }
  const folders = createDurableFolders(root)
  for (const each of [objects, temporaryFolder, unconfirmedFolder, noteFolder, replicaFolder])
    await folders.ensure(each)
  const rootAtStart = await identify(root)
  const files = createOpenFiles(maxOpenFiles)
  const directReads = createDirectReads()
  const replicas = openReplicas(openFileMarks(replicaFolder), replica, isAlone)
  const noteFile = join(noteFolder, replicas.fileName('note'))
  const notes = openUnconfirmedNotes(openLinkedMarks(unconfirmedFolder, noteFile), replicas)
  const headroom = keepsHeadroom ? watchHeadroom(root) : undefined
  /** Names of unfinished files of this process. */
  const active = new Set<string>()

  const pathOf = (key: string): string => {
    requireKey(key)
    return join(objects, key)
  }

  const read = async (
    key: string,
    offset: number,
    length: number,
    into: Uint8Array | undefined,
    use: ReadUse,
  ): Promise<Uint8Array> => {
    const target = into === undefined ? Buffer.allocUnsafeSlow(length) : into.subarray(0, length)
    const path = pathOf(key)
    try {
      if (await directReads.read(path, offset, target, use)) return target
      await files.with(path, async (handle) => {
        const filled = await readWhole(handle, target, offset)
        if (filled < length) throw endsEarly(key, offset + filled)
      })
    } catch (error) {
      throw describeReadError(error, key)
    }
    return target
  }

  /** Closes the file, so that the space of a removed one is freed. */
  const closeFile = (path: string): void => {
    files.drop(path)
    directReads.drop(path)
  }

  return {
    isRemote: false,
    async create(key, { usesHeadroom = false } = {}) {
      const target = pathOf(key)
      const name = replicas.fileName(randomUUID())
      active.add(name)
      try {
        await replicas.start()
      } catch (error) {
        active.delete(name)
        throw describeWriteError(error)
      }
      return createFileWriter({
        temporaryPath: join(temporaryFolder, name),
        target,
        requireSpace: (bytes) => headroom?.require(bytes, usesHeadroom ? 1 / 2 : 1),
        prepare: () => folders.ensure(dirname(target)),
        setUnconfirmed: (isUnconfirmed) => (isUnconfirmed ? notes.add(key) : notes.remove(key)),
        onEnd: () => active.delete(name),
      })
    },
    async confirm(key) {
      try {
        await notes.remove(key)
      } catch (error) {
        throw describeWriteError(error)
      }
    },
    read: (key, offset, length, into) => read(key, offset, length, into, 'often'),
    readOnce: (key, offset, length, into) => read(key, offset, length, into, 'once'),
    async size(key) {
      try {
        return (await stat(pathOf(key))).size
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return undefined
        throw describeReadError(error, key)
      }
    },
    async remove(key) {
      const path = pathOf(key)
      closeFile(path)
      try {
        await removeDurably(path)
        await notes.remove(key)
      } catch (error) {
        throw describeWriteError(error)
      }
    },
    list: (prefix, from = '') => walk(objects, '', prefix, from),
    listUnconfirmed: (of) => notes.list(of),
    async *listAbandoned(prefix): AsyncGenerator<AbandonedObject> {
      for await (const { key, remove } of notes.listLeftOver()) {
        if (key.startsWith(prefix)) yield { key, settle: remove }
      }
    },
    async sweep() {
      const view = await replicas.inspect()
      const owners = await notes.listOwners()
      let removed = 0
      for (const name of await readdir(temporaryFolder)) {
        const path = join(temporaryFolder, name)
        const modifiedAt = await modifiedOrGone(path)
        if (modifiedAt === undefined || active.has(name)) continue
        if (ownerOf(name) === replica || view.isLeftOver(name, modifiedAt)) {
          await rm(path, { force: true })
          removed++
        } else {
          owners.add(ownerOf(name) ?? '')
        }
      }
      await removeLeftOver(noteFolder, view)
      await view.removeHeartbeats(owners)
      return removed
    },
    listOthers: async () => (await replicas.inspect()).others,
    async probe() {
      // Unmounting a disk exposes another folder of the same name.
      if ((await identify(root)) !== rootAtStart) {
        throw new CairnError('UNAVAILABLE', { message: 'The pack folder was replaced while the service was running' })
      }
      const path = join(temporaryFolder, replicas.fileName(`probe-${randomUUID()}`))
      const file = await open(path, 'wx', 0o600)
      try {
        await file.write('ok')
      } finally {
        await file.close()
        await unlink(path)
      }
    },
    releaseFiles() {
      files.dropAll()
      directReads.dropAll()
    },
    async close() {
      await Promise.all([files.close(), directReads.close(), rm(noteFile, { force: true })])
      await replicas.stop(active.size === 0 && !(await notes.listOwners()).has(replica))
    },
  }
}

/** Removes the files of replicas that are gone. */
async function removeLeftOver(folder: string, view: ReplicaView): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const modifiedAt = await modifiedOrGone(path)
    if (modifiedAt !== undefined && view.isLeftOver(name, modifiedAt)) await rm(path, { force: true })
  }
}

async function removeDurably(path: string): Promise<void> {
  try {
    await rm(path)
    await syncFolder(dirname(path))
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}

async function* walk(folder: string, path: string, prefix: string, from: string): AsyncGenerator<string> {
  const inner: string[] = []
  for await (const entry of await opendir(join(folder, path), { bufferSize: namesAtOnce })) {
    const key = path === '' ? entry.name : `${path}/${entry.name}`
    if (!entry.isDirectory()) {
      if (key.startsWith(prefix)) yield key
      continue
    }
    // Enters a folder that lies below the prefix or leads to it, and that may hold keys from `from` on.
    const isWanted = `${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`)
    if (isWanted && `${key}/` >= from.slice(0, key.length + 1)) inner.push(key)
  }
  for (const key of inner.toSorted()) yield* walk(folder, key, prefix, from)
}

async function identify(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true })
  return `${dev}:${ino}`
}
