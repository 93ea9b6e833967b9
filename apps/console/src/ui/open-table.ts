/** Result of a request; `isDone` is false if the browser has no storage (a private window), or no space left. */
export type Outcome<T> = { isDone: true; value: T } | { isDone: false; error: DOMException }

/** Runs one request in its own transaction. */
export type Table = <T>(mode: IDBTransactionMode, run: (table: IDBObjectStore) => IDBRequest<T>) => Promise<Outcome<T>>

/** Opens the single table of a database in IndexedDB, per request only, so that the database can be removed. */
export function openTable(databaseName: string, tableName: string, parameters?: IDBObjectStoreParameters): Table {
  return (mode, run) =>
    new Promise((resolve, reject) => {
      const opening = openDatabase(databaseName)
      if (opening instanceof DOMException) {
        resolve(refused(opening))
        return
      }
      opening.onupgradeneeded = () => opening.result.createObjectStore(tableName, parameters)
      opening.onerror = () => resolve(refused(opening.error))
      opening.onsuccess = () => {
        const database = opening.result
        try {
          const transaction = database.transaction(tableName, mode)
          const request = run(transaction.objectStore(tableName))
          transaction.oncomplete = () => resolve({ isDone: true, value: request.result })
          transaction.onabort = () => resolve(refused(transaction.error))
        } catch (error) {
          // Not every browser can store keys.
          if (error instanceof DOMException && error.name === 'DataCloneError') resolve(refused(error))
          else reject(error)
        } finally {
          // It closes after the transaction.
          database.close()
        }
      }
    })
}

/** Browsers that block the storage of a page refuse it in the request or, some of them, at once. */
function openDatabase(name: string): IDBOpenDBRequest | DOMException {
  try {
    return indexedDB.open(name, 1)
  } catch (error) {
    if (error instanceof DOMException) return error
    throw error
  }
}

function refused(error: DOMException | null): { isDone: false; error: DOMException } {
  return { isDone: false, error: error ?? new DOMException('Refused', 'InvalidStateError') }
}
