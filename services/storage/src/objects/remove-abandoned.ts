import type { ObjectStore } from '@cairn/service/objects'

/**
 * Removes objects whose replica stopped before it recorded them: no client received a success for them. Returns their number.
 * @param prefix of the keys
 * @param isRecorded whether a row names the object
 */
export async function removeAbandonedObjects(
  objects: ObjectStore,
  prefix: string,
  isRecorded: (key: string) => Promise<boolean>,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0
  for await (const { key, settle } of objects.listAbandoned(prefix)) {
    signal.throwIfAborted()
    if (!(await isRecorded(key))) {
      await objects.remove(key)
      removed++
    }
    await settle()
  }
  return removed
}
