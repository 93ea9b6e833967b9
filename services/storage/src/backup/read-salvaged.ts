import { CairnError, KIB, MIB } from '@cairn/protocol'
import type { ObjectStore } from '@cairn/service/objects'

/** Bytes read at a time where a disk fails: a page of the cache, which is a sector of most disks or several. */
const sectorBytes = 4 * KIB
/** Sectors of one object that may be unreadable: a disk can take half a minute to give up each. */
const maxUnreadable = 64

/**
 * Reads an object front to back as far as the disk can read it: zeros stand in for each sector that it cannot.
 * @param onUnreadable is called for each such sector
 * @throws CairnError DATA_DAMAGED when the object is gone or has too many such sectors
 */
export async function* readSalvaged(
  objects: ObjectStore,
  key: string,
  bytes: number,
  { signal, onUnreadable }: { signal?: AbortSignal | undefined; onUnreadable: () => void },
): AsyncGenerator<Uint8Array> {
  let unreadable = 0
  for (let at = 0; at < bytes; at += MIB) {
    signal?.throwIfAborted()
    const length = Math.min(MIB, bytes - at)
    try {
      yield await objects.read(key, at, length)
      continue
    } catch (error) {
      if (!CairnError.is(error, 'DATA_DAMAGED') || (await objects.size(key)) === undefined) throw error
    }
    const piece = new Uint8Array(length)
    for (let from = 0; from < length; from += sectorBytes) {
      signal?.throwIfAborted()
      try {
        piece.set(await objects.read(key, at + from, Math.min(sectorBytes, length - from)), from)
      } catch (error) {
        if (!CairnError.is(error, 'DATA_DAMAGED') || ++unreadable > maxUnreadable) throw error
        onUnreadable()
      }
    }
    yield piece
  }
}
