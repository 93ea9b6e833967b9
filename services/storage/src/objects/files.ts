import { mkdir, opendir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { createDurableFolders, syncFolder } from './durable-folders.ts'
import { describeReadError, describeWriteError, errnoOf } from './file-errors.ts'
import { createFileWriter } from './file-writer.ts'
import type { ObjectStore, StoredObject } from './objects.ts'
import { createOpenFiles } from './open-files.ts'

/** Files kept open between reads. */
const openFilesMost = 64
/** Names of our own making only: no user's text ever gets into a path. */
const keyPattern = /^[a-z0-9][a-z0-9-]*(\/[a-z0-9][a-z0-9.-]*)+$/

/**
 * Objects as files below `folder`: `objects/` holds the finished, `tmp/` the unfinished ones. One file system, local:
 * rename must be atomic and sync must reach the disk.
 */
export async function openFileStore(folder: string): Promise<ObjectStore> {
  const root = resolve(folder)
  const objects = join(root, 'objects')
  const temporaryFolder = join(root, 'tmp')
  try {
    await mkdir(root, { recursive: true, mode: 0o700 })
    await syncFolder(dirname(root))
  } catch (error) {
    throw describeWriteError(error)
  }
  const folders = createDurableFolders(root)
  await folders.ensure(objects)
  await folders.ensure(temporaryFolder)
  const files = createOpenFiles(openFilesMost)
  const active = new Set<string>()

  const pathOf = (key: string): string => {
    if (!keyPattern.test(key) || key.includes('..')) throw new TypeError(`Not a key: ${key}`)
    return join(objects, key)
  }

  return {
    create(key) {
      const target = pathOf(key)
      return createFileWriter({ temporaryFolder, target, active, prepare: () => folders.ensure(dirname(target)) })
    },
    async read(key, offset, length, into) {
      const target = into === undefined ? Buffer.allocUnsafeSlow(length) : into.subarray(0, length)
      try {
        await files.with(pathOf(key), async (handle) => {
          for (let filled = 0; filled < length; ) {
            const { bytesRead } = await handle.read(target, filled, length - filled, offset + filled)
            if (bytesRead === 0) throw endsEarly(key, offset + filled)
            filled += bytesRead
          }
        })
      } catch (error) {
        throw describeReadError(error, key)
      }
      return target
    },
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
      files.drop(path)
      try {
        await rm(path)
        await syncFolder(dirname(path))
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') throw describeWriteError(error)
      }
    },
    list: (prefix) => walk(objects, '', prefix),
    sweep: (olderThan) => sweep(temporaryFolder, olderThan, active),
    close: () => files.close(),
  }
}

function endsEarly(key: string, at: number): CairnError {
  return new CairnError('DATA_DAMAGED', { message: 'A stored object ends early', details: { object: key, at } })
}

async function* walk(folder: string, path: string, prefix: string): AsyncGenerator<StoredObject> {
  for await (const entry of await opendir(join(folder, path))) {
    const key = path === '' ? entry.name : `${path}/${entry.name}`
    if (entry.isDirectory()) {
      // A folder is entered when it lies below the prefix or leads to it.
      if (`${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`)) yield* walk(folder, key, prefix)
    } else if (key.startsWith(prefix)) {
      const facts = await statIfThere(join(folder, key))
      if (facts !== undefined) yield { key, sizeBytes: facts.size, modifiedAt: facts.mtimeMs }
    }
  }
}

async function statIfThere(path: string) {
  try {
    return await stat(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Removes temporary files of processes that live no more, and any old one. Those of this process are left alone. */
async function sweep(folder: string, olderThan: number, active: ReadonlySet<string>): Promise<number> {
  let removed = 0
  for (const name of await readdir(folder)) {
    if (active.has(name)) continue
    const path = join(folder, name)
    const facts = await statIfThere(path)
    if (facts === undefined || (facts.mtimeMs >= olderThan && isAnotherAlive(name))) continue
    await rm(path, { force: true })
    removed++
  }
  return removed
}

/** Whether the file's name begins with the number of another process that lives on this machine. */
function isAnotherAlive(name: string): boolean {
  const pid = Number.parseInt(name, 10)
  if (!(pid > 0) || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errnoOf(error) === 'EPERM'
  }
}
