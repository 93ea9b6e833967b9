import { open, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf } from './file-errors.ts'

/** Small named texts in one place, each with the time of its last write: heartbeats and notes about objects. */
export type Marks = {
  /** Creates or overwrites a mark. */
  put(name: string, text: string): Promise<void>
  /** Removes a mark; a missing one is not an error. */
  remove(name: string): Promise<void>
  list(): Promise<Mark[]>
}

/** One listed mark. */
export type Mark = {
  readonly name: string
  /** Time of the last write by the clock of the store, in ms since 1970; undefined when the mark is gone. */
  modifiedAt(): Promise<number | undefined>
}

/** Stores marks as files in `folder`. They are not synced: they must outlive the process, not the machine. */
export function openFileMarks(folder: string): Marks {
  return {
    async put(name, text) {
      const file = await open(join(folder, name), 'w', 0o600)
      try {
        if (text !== '') await file.write(text)
      } finally {
        await file.close()
      }
    },
    async remove(name) {
      try {
        await unlink(join(folder, name))
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') throw error
      }
    },
    list: async () =>
      (await readdir(folder)).map((name) => ({ name, modifiedAt: () => modifiedOrGone(join(folder, name)) })),
  }
}

/** Time of the last write by the clock of the file system, in ms since 1970; undefined when the file is gone. */
export async function modifiedOrGone(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}
