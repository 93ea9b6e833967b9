/** What came of a request; `isDone` is false where the browser keeps nothing (a private window), or has no room left. */
export type Outcome<T> = { isDone: true; value: T } | { isDone: false; error: DOMException }

/** Runs one request in a transaction of its own. */
export type Table = <T>(mode: IDBTransactionMode, run: (table: IDBObjectStore) => IDBRequest<T>) => Promise<Outcome<T>>

/** The one table of a database in this browser's IndexedDB. It is open for a request only, so that it can be removed. */
export function openTable(databaseName: string, tableName: string, parameters?: IDBObjectStoreParameters): Table {
  return (mode, run) =>
    new Promise((resolve, reject) => {
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
          // Not every browser can keep keys.
          if (error instanceof DOMException && error.name === 'DataCloneError') resolve(refused(error))
          else reject(error)
        } finally {
          // It closes when the transaction is over.
          database.close()
        }
      }
    })
}

function refused(error: DOMException | null): { isDone: false; error: DOMException } {
  return { isDone: false, error: error ?? new DOMException('Refused', 'InvalidStateError') }
}
