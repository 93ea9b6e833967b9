import { statfs } from 'node:fs/promises'
import { CairnError, MIB } from '@cairn/protocol'

/** Space that objects leave free, in bytes: enough for many deletions, payments and restarts. */
const maxHeadroomBytes = 256 * MIB
/** On a small disk, they leave this share of it. The log of SQLite alone takes 16 MiB. */
const headroomShare = 1 / 4
/** How long a measurement counts, in ms, and after how many bytes it is repeated: others write to the disk, too. */
const maxAgeMs = 1000
const checkEveryBytes = 16 * MIB

/** The free space that objects leave to the database, the notes and the log on the same disk. */
export type DiskHeadroom = {
  /**
   * Requires that an object may grow by `bytes`.
   * @param share of the headroom that stays free
   * @throws CairnError STORAGE_FULL
   */
  require(bytes: number, share: number): Promise<void> | undefined
}

type DiskSize = { bavail: number; blocks: number; bsize: number }

/** Watches the disk of a folder. */
export function watchHeadroom(
  folder: string,
  measureDisk: (folder: string) => Promise<DiskSize> = statfs,
): DiskHeadroom {
  let measuredAt = Number.NEGATIVE_INFINITY
  let writtenBytes = 0
  /** Free space, as a share of the headroom. */
  let free = 0
  let measuring: Promise<void> | undefined

  const measure = async (): Promise<void> => {
    const { bavail, blocks, bsize } = await measureDisk(folder)
    free = (bavail * bsize) / Math.min(maxHeadroomBytes, blocks * bsize * headroomShare)
    measuredAt = performance.now()
    writtenBytes = 0
  }
  return {
    require(bytes, share) {
      writtenBytes += bytes
      const isFresh = writtenBytes < checkEveryBytes && performance.now() - measuredAt < maxAgeMs
      if (isFresh && free >= share) return undefined
      measuring ??= measure().finally(() => {
        measuring = undefined
      })
      return measuring.then(() => {
        if (free < share) throw storageFull()
      })
    },
  }
}

function storageFull(): CairnError {
  return new CairnError('STORAGE_FULL', {
    cause: new Error('the rest of the disk is left to the database, so that files can be deleted'),
  })
}
