import { type Outcome, openTable } from '../browser/open-table.ts'

/**
 * Data of this origin beyond session storage, in one table of IndexedDB. A browser without it (some private windows)
 * stores nothing: every session then lasts as long as its page.
 */
const table = openTable('cairn', 'session')

/** Returns the entry of a name; undefined if there is none. */
export async function readEntry(name: string): Promise<unknown> {
  const read = await table<unknown>('readonly', (rows) => rows.get(name))
  return read.isDone ? read.value : undefined
}

/** Returns the names of all entries with a prefix. */
export async function listEntries(prefix: string): Promise<string[]> {
  const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`)
  const read = await table('readonly', (rows) => rows.getAllKeys(range))
  return read.isDone ? read.value.filter((name) => typeof name === 'string') : []
}

/**
 * Stores an entry. Writes happen in the order of the calls.
 * @returns whether it is stored
 */
export async function writeEntry(name: string, value: unknown): Promise<boolean> {
  return (await runRequest((rows) => rows.put(value, name))).isDone
}

/** Removes an entry, in order with the writes. */
export async function removeEntry(name: string): Promise<void> {
  await runRequest((rows) => rows.delete(name))
}

let lastWrite: Promise<unknown> = Promise.resolve()

function runRequest(run: (rows: IDBObjectStore) => IDBRequest): Promise<Outcome<unknown>> {
  const write = () => table<unknown>('readwrite', run)
  const written = lastWrite.then(write, write)
  lastWrite = written
  return written
}
