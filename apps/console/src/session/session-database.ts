import { type Outcome, openTable } from '../ui/open-table.ts'

/**
 * What this origin keeps beyond session storage, in one table of IndexedDB. A browser without it (some private windows) keeps
 * nothing: then every session lasts as long as its page.
 */
const table = openTable('cairn', 'session')

/** What is kept under a name; undefined where nothing is. */
export async function readEntry(name: string): Promise<unknown> {
  const read = await table<unknown>('readonly', (rows) => rows.get(name))
  return read.isDone ? read.value : undefined
}

/** Names of all that is kept that begin so. */
export async function listEntries(prefix: string): Promise<string[]> {
  const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`)
  const read = await table('readonly', (rows) => rows.getAllKeys(range))
  return read.isDone ? read.value.filter((name) => typeof name === 'string') : []
}

/** Keeps something. What is written comes in the order of the calls: the last word counts. @returns whether it is kept */
export async function writeEntry(name: string, value: unknown): Promise<boolean> {
  return (await inTurn((rows) => rows.put(value, name))).isDone
}

/** Forgets something, in turn with what is written. */
export async function removeEntry(name: string): Promise<void> {
  await inTurn((rows) => rows.delete(name))
}

let lastWrite: Promise<unknown> = Promise.resolve()

function inTurn(run: (rows: IDBObjectStore) => IDBRequest): Promise<Outcome<unknown>> {
  const write = () => table<unknown>('readwrite', run)
  const written = lastWrite.then(write, write)
  lastWrite = written
  return written
}
