/**
 * What this origin keeps beyond session storage, in one table of IndexedDB. A browser without it (some private windows) keeps
 * nothing: then every session lasts as long as its page.
 */
const databaseName = 'cairn'
const tableName = 'session'

/** What is kept under a name; undefined where nothing is. */
export async function readEntry(name: string): Promise<unknown> {
  const { value } = await withTable('readonly', (table) => table.get(name))
  return value
}

/** Names of all that is kept that begin so. */
export async function listEntries(prefix: string): Promise<string[]> {
  const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`)
  const { value } = await withTable('readonly', (table) => table.getAllKeys(range))
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}

/** Keeps something. What is written comes in the order of the calls: the last word counts. @returns whether it is kept */
export async function writeEntry(name: string, value: unknown): Promise<boolean> {
  return (await inTurn((table) => table.put(value, name))).isDone
}

/** Forgets something, in turn with what is written. */
export async function removeEntry(name: string): Promise<void> {
  await inTurn((table) => table.delete(name))
}

let lastWrite: Promise<unknown> = Promise.resolve()

function inTurn(run: (table: IDBObjectStore) => IDBRequest): Promise<Outcome> {
  const write = () => withTable('readwrite', run)
  const written = lastWrite.then(write, write)
  lastWrite = written
  return written
}

type Outcome = { isDone: boolean; value?: unknown }

function withTable(mode: IDBTransactionMode, run: (table: IDBObjectStore) => IDBRequest): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(databaseName, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(tableName)
    opening.onerror = () => resolve({ isDone: false })
    opening.onsuccess = () => {
      const database = opening.result
      const end = (outcome: Outcome) => {
        database.close()
        resolve(outcome)
      }
      try {
        const transaction = database.transaction(tableName, mode)
        const request = run(transaction.objectStore(tableName))
        transaction.oncomplete = () => end({ isDone: true, value: request.result })
        transaction.onabort = () => end({ isDone: false })
      } catch (error) {
        // Not every browser can keep keys.
        if (error instanceof DOMException && error.name === 'DataCloneError') end({ isDone: false })
        else reject(error)
      }
    }
  })
}
