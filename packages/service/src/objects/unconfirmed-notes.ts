import type { Mark, Marks } from './marks.ts'
import { nameWithoutOwner, ownerOf, type Replicas } from './replicas.ts'

/** Replaces the slashes of a key, which cannot contain it. */
const slash = '_'

/** Notes about objects that no record names yet: empty marks, named by replica and key. */
export type UnconfirmedNotes = {
  /** Adds the note before the object becomes visible. */
  add(key: string): Promise<void>
  /** Removes this replica's note, if there is one. */
  remove(key: string): Promise<void>
  /** Returns the keys with a note, of all replicas or of live ones. */
  list(of: 'all' | 'alive'): Promise<Set<string>>
  /** Lists notes of replicas that are gone. */
  listLeftOver(): AsyncGenerator<{ key: string; remove(): Promise<void> }>
  /** Returns all notes by object key. */
  listByKey(): Promise<Map<string, Mark[]>>
  /** Returns the replicas that have notes. */
  listOwners(): Promise<Set<string>>
}

/** Stores the notes among `marks`. */
export function openUnconfirmedNotes(marks: Marks, replicas: Replicas): UnconfirmedNotes {
  const nameOf = (key: string) => replicas.fileName(key.replaceAll('/', slash))
  const keyOf = (name: string) => nameWithoutOwner(name).replaceAll(slash, '/')
  const listLeftOver = async (all: readonly Mark[]): Promise<Mark[]> => {
    if (all.length === 0) return []
    const view = await replicas.inspect()
    const left: Mark[] = []
    for (const mark of all) {
      const modifiedAt = await mark.modifiedAt()
      if (modifiedAt !== undefined && view.isLeftOver(mark.name, modifiedAt)) left.push(mark)
    }
    return left
  }

  return {
    add: (key) => marks.put(nameOf(key), ''),
    remove: (key) => marks.remove(nameOf(key)),
    async list(of) {
      const all = await marks.list()
      const left = of === 'all' ? [] : await listLeftOver(all)
      return new Set(all.filter((mark) => !left.includes(mark)).map(({ name }) => keyOf(name)))
    },
    async *listLeftOver() {
      for (const { name } of await listLeftOver(await marks.list())) {
        yield { key: keyOf(name), remove: () => marks.remove(name) }
      }
    },
    listByKey: async () => Map.groupBy(await marks.list(), ({ name }) => keyOf(name)),
    async listOwners() {
      return new Set((await marks.list()).map(({ name }) => ownerOf(name) ?? ''))
    },
  }
}
