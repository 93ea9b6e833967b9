import * as v from 'valibot'

/** A short list in this browser's local storage. A browser that keeps nothing has an empty one. */
export type KeptList<T> = { read(): T[]; write(items: readonly T[]): void }

/**
 * Opens a list; what is there in another shape counts as nothing.
 * @param most items kept: the newest
 */
export function openKeptList<T>(storageName: string, item: v.GenericSchema<unknown, T>, most: number): KeptList<T> {
  const list = v.array(item)
  return {
    read() {
      try {
        const parsed = v.safeParse(list, JSON.parse(localStorage.getItem(storageName) ?? '[]'))
        return parsed.success ? parsed.output : []
      } catch (error) {
        // A browser that keeps nothing, or something else under our name: there is nothing to remember.
        if (error instanceof SyntaxError || error instanceof DOMException) return []
        throw error
      }
    },
    write(items) {
      try {
        if (items.length === 0) localStorage.removeItem(storageName)
        else localStorage.setItem(storageName, JSON.stringify(items.slice(-most)))
      } catch (error) {
        // A browser that keeps nothing: what is on its way is still shown by this page.
        if (!(error instanceof DOMException)) throw error
      }
    },
  }
}
