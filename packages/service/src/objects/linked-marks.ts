import { link, open } from 'node:fs/promises'
import { join } from 'node:path'
import { type Marks, openFileMarks } from './marks.ts'

/** Age after which the shared file is written again: far less than that of a mark that counts as left over. */
const freshMs = 60_000

/**
 * File marks whose empty ones are further names of one file of this process, at `path` on the same file system. A mark of its own
 * for each upload costs an inode that is freed within milliseconds, and an ext4 without a journal examines every inode
 * that was freed in the last minutes, one by one, before it assigns one to a new file. Where names cannot be added, each mark is
 * a file.
 * @see https://github.com/torvalds/linux/blob/v6.12/fs/ext4/ialloc.c (recently_deleted)
 */
export function openLinkedMarks(folder: string, path: string): Marks {
  const files = openFileMarks(folder)
  let writtenAt = Number.NEGATIVE_INFINITY
  let writing: Promise<void> | undefined

  const write = async (): Promise<void> => {
    const now = Date.now()
    await (await open(path, 'w', 0o600)).close()
    writtenAt = now
  }

  /** All names share the time of the last write. The clock may have been set back. */
  const refresh = async (): Promise<void> => {
    if (Math.abs(Date.now() - writtenAt) < freshMs) return
    writing ??= write().finally(() => {
      writing = undefined
    })
    await writing
  }

  return {
    ...files,
    async put(name, text) {
      if (text !== '') return files.put(name, text)
      try {
        await refresh()
        await link(path, join(folder, name))
      } catch {
        // The mark exists, its file is gone, or the file system has no further names. A failing disk fails again below.
        writtenAt = Number.NEGATIVE_INFINITY
        await files.put(name, text)
      }
    },
  }
}
