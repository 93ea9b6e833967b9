import type { ObjectStore } from '@cairn/service/objects'
import { collectRefusals } from './refusals.ts'

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
  const refusals = collectRefusals()
  let removed = 0
  for await (const { key, settle } of objects.listAbandoned(prefix)) {
    signal.throwIfAborted()
    if (!(await isRecorded(key))) {
      if (!(await refusals.attempt(() => objects.remove(key)))) continue
      removed++
    }
    await settle()
  }
  refusals.end()
  return removed
}
