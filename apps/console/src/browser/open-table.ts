/** Result of a request; `isDone` is false if the browser has no storage (a private window), or no space left. */
export type Outcome<T> = { isDone: true; value: T } | { isDone: false; error: DOMException }

/** Runs one request in its own transaction. */
export type Table = <T>(mode: IDBTransactionMode, run: (table: IDBObjectStore) => IDBRequest<T>) => Promise<Outcome<T>>

/** Opens the single table of a database in IndexedDB, per request only, so that the database can be removed. */
export function openTable(databaseName: string, tableName: string, parameters?: IDBObjectStoreParameters): Table {
  return <T>(mode: IDBTransactionMode, run: (table: IDBObjectStore) => IDBRequest<T>) =>
    new Promise<Outcome<T>>((resolve, reject) => {
      const opening = indexedDB.open(databaseName, 1)
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
          reject(error)
        } finally {
          // It closes after the transaction.
          database.close()
        }
      }
    }).catch((error: unknown) => {
      // Not every browser can store keys, and some that block the storage of a page refuse the request itself.
      if (error instanceof DOMException) return refused(error)
      throw error
    })
}

function refused(error: DOMException | null): { isDone: false; error: DOMException } {
  return { isDone: false, error: error ?? new DOMException('Refused', 'InvalidStateError') }
}
