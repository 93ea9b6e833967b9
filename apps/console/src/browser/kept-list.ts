import * as v from 'valibot'
import { ignoreBlocked } from './ignore-blocked.ts'

/** A short list in the local storage of this browser; empty without storage. */
export type KeptList<T> = { read(): T[]; write(items: readonly T[]): void }

/**
 * Opens a list; ignores stored data in another format.
 * @param max number of items stored: the newest
 */
export function openKeptList<T>(storageName: string, item: v.GenericSchema<unknown, T>, max: number): KeptList<T> {
  const list = v.array(item)
  return {
    read() {
      try {
        const parsed = v.safeParse(list, JSON.parse(localStorage.getItem(storageName) ?? '[]'))
        return parsed.success ? parsed.output : []
      } catch (error) {
        // Without storage, or with foreign data under our name, the list is empty.
        if (error instanceof SyntaxError || error instanceof DOMException) return []
        throw error
      }
    },
    write(items) {
      try {
        if (items.length === 0) localStorage.removeItem(storageName)
        else localStorage.setItem(storageName, JSON.stringify(items.slice(-max)))
      } catch (error) {
        // Without storage, this page still shows its work in progress.
        ignoreBlocked(error)
      }
    },
  }
}
