import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

type OpenFile = { readonly handle: Promise<FileHandle>; users: number; dropped: boolean }

/** Open files, kept for the next read; at most `maxIdle` idle ones. */
export type OpenFiles = {
  /** Runs `use` with the open file. */
  with<T>(path: string, use: (handle: FileHandle) => Promise<T>): Promise<T>
  /** Closes the file once it has no readers, so that its disk space is freed. */
  drop(path: string): void
  /** Drops all files. */
  dropAll(): void
  close(): Promise<void>
}

/** Keeps files open between reads and closes the least recently used first. `flags` are those of open(2). */
export function createOpenFiles(maxIdle: number, flags: number = constants.O_RDONLY): OpenFiles {
  const files = new Map<string, OpenFile>()
  const closing = new Set<Promise<void>>()

  const release = (file: OpenFile): void => {
    if (!file.dropped || file.users > 0) return
    // A file that failed to open needs no closing; the caller received the error.
    const closed = file.handle.then((handle) => handle.close()).catch(() => undefined)
    closing.add(closed)
    closed.finally(() => closing.delete(closed)).catch(() => undefined)
  }

  const drop = (path: string): void => {
    const file = files.get(path)
    if (file === undefined) return
    files.delete(path)
    file.dropped = true
    release(file)
  }

  const dropAll = (): void => {
    for (const path of [...files.keys()]) drop(path)
  }

  const take = (path: string): OpenFile => {
    const known = files.get(path)
    files.delete(path)
    const file = known ?? { handle: open(path, flags), users: 0, dropped: false }
    files.set(path, file)
    if (files.size > maxIdle) {
      const oldest = files.keys().next()
      if (oldest.done !== true) drop(oldest.value)
    }
    return file
  }

  return {
    async with(path, use) {
      const file = take(path)
      file.users++
      try {
        return await use(await file.handle)
      } catch (error) {
        // The next read opens the file again: it may have been restored.
        if (files.get(path) === file) drop(path)
        throw error
      } finally {
        file.users--
        release(file)
      }
    },
    drop,
    dropAll,
    async close() {
      dropAll()
      await Promise.all(closing)
    },
  }
}
