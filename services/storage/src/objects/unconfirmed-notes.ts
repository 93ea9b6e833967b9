import { open, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf } from './file-errors.ts'
import { modifiedOrGone, nameWithoutOwner, ownerOf, type Replicas } from './replicas.ts'

/** Stands for the slashes of a key, which knows no such character. */
const slash = '_'

/** Notes of finished objects that no record names yet: empty files, named by replica and key. */
export type UnconfirmedNotes = {
  /** Notes an object before it can be seen. */
  add(key: string): Promise<void>
  /** Removes this replica's note, if there is one. */
  remove(key: string): Promise<void>
  /** Keys with a note, of all replicas or of those that are alive. */
  list(of: 'all' | 'alive'): Promise<Set<string>>
  /** Notes of replicas that are gone. */
  listLeftOver(): AsyncGenerator<{ key: string; remove(): Promise<void> }>
  /** Replicas that have notes. */
  listOwners(): Promise<Set<string>>
}

/** Keeps the notes in `folder`. They are not synced: they must outlive the process, not the machine. */
export function openUnconfirmedNotes(folder: string, replicas: Replicas): UnconfirmedNotes {
  const pathOf = (key: string) => join(folder, replicas.fileName(key.replaceAll('/', slash)))
  const keyOf = (fileName: string) => nameWithoutOwner(fileName).replaceAll(slash, '/')
  const listLeftOver = async (names: readonly string[]): Promise<string[]> => {
    if (names.length === 0) return []
    const view = await replicas.inspect()
    const left: string[] = []
    for (const name of names) {
      const modifiedAt = await modifiedOrGone(join(folder, name))
      if (modifiedAt !== undefined && view.isLeftOver(name, modifiedAt)) left.push(name)
    }
    return left
  }

  return {
    async add(key) {
      const file = await open(pathOf(key), 'w', 0o600)
      await file.close()
    },
    remove: (key) => unlinkOrGone(pathOf(key)),
    async list(of) {
      const names = await readdir(folder)
      const left = of === 'all' ? [] : await listLeftOver(names)
      return new Set(names.filter((name) => !left.includes(name)).map(keyOf))
    },
    async *listLeftOver() {
      for (const name of await listLeftOver(await readdir(folder))) {
        yield { key: keyOf(name), remove: () => unlinkOrGone(join(folder, name)) }
      }
    },
    async listOwners() {
      return new Set((await readdir(folder)).map((name) => ownerOf(name) ?? ''))
    },
  }
}

async function unlinkOrGone(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}
