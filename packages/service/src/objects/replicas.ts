import type { Marks } from './marks.ts'

/** Interval of the heartbeat. */
const beatMs = 60_000
/**
 * Age of the last heartbeat after which a replica counts as gone and its files may be removed. Longer than the writer
 * of a resumable upload may be silent and still record a part.
 */
const goneAfterMs = 3_600_000
/** The same for files of earlier versions, which do not name their replica. */
const namelessGoneAfterMs = 24 * 3_600_000
/** Maximum age of the last heartbeat of a live replica. */
const aliveWithinMs = 3 * beatMs

/** Separates the id of a replica from the rest of a file name. */
const separator = '_'

/** The processes that write into one store. */
export type Replicas = {
  /** Starts the heartbeat of this process, before it creates any other file. Resolves when the others can see it. */
  start(): Promise<void>
  /** Writes the heartbeat now. */
  beat(): Promise<void>
  /** Reads all heartbeats. */
  inspect(): Promise<ReplicaView>
  /** Prefixes a file name with the id of this replica. */
  fileName(rest: string): string
  /** Stops the heartbeat. @param isClean whether this process leaves no file that another one has to remove */
  stop(isClean: boolean): Promise<void>
}

/** A snapshot of the replicas. */
export type ReplicaView = {
  /** Ids of the other replicas that are alive. */
  readonly others: readonly string[]
  /** Whether a file belongs to a replica that is gone. Never true for a file of this replica. */
  isLeftOver(fileName: string, modifiedAt: number): boolean
  /** Removes the heartbeats of replicas that are gone, except for `owners`, which still have files. */
  removeHeartbeats(owners: ReadonlySet<string>): Promise<void>
}

/** Returns the replica that a file belongs to; undefined for a file of an earlier version. */
export function ownerOf(fileName: string): string | undefined {
  const end = fileName.indexOf(separator)
  return end < 0 ? undefined : fileName.slice(0, end)
}

/** A file name without the id of its replica. */
export function nameWithoutOwner(fileName: string): string {
  return fileName.slice(fileName.indexOf(separator) + 1)
}

/**
 * Maintains one heartbeat per replica among `marks`. Ages are differences between times that the store set, so clocks
 * of different machines do not matter. Process ids are not used: every container counts them from 1.
 *
 * @param isAlone whether a lock excludes other processes; files of every other replica then count as left over
 */
export function openReplicas(marks: Marks, id: string, isAlone: boolean): Replicas {
  if (!/^[a-z0-9-]+$/.test(id)) throw new TypeError(`Not the id of a replica: ${id}`)
  let starting: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  /** Writes by name, which restores a heartbeat that another process removed. */
  const beat = (): Promise<void> => marks.put(id, id)

  const start = (): Promise<void> => {
    starting ??= beat().then(
      () => {
        // The next beat replaces a failed one. An hour without any loses uploads in progress, but no data.
        timer = setInterval(() => beat().catch(() => undefined), beatMs)
        timer.unref()
      },
      (error: unknown) => {
        starting = undefined
        throw error
      },
    )
    return starting
  }

  const readBeats = async (): Promise<Map<string, number>> => {
    const beats = new Map<string, number>()
    for (const mark of await marks.list()) {
      const modifiedAt = await mark.modifiedAt()
      if (modifiedAt !== undefined) beats.set(mark.name, modifiedAt)
    }
    return beats
  }

  return {
    start,
    beat,
    fileName: (rest) => `${id}${separator}${rest}`,
    async inspect() {
      await start()
      await beat()
      const beats = await readBeats()
      const now = beats.get(id) ?? Date.now()
      const isGone = (owner: string | undefined): boolean =>
        isAlone || now - (beats.get(owner ?? '') ?? Number.NEGATIVE_INFINITY) > goneAfterMs
      return {
        others: [...beats]
          .filter(([name, at]) => !isAlone && name !== id && now - at < aliveWithinMs)
          .map(([name]) => name),
        isLeftOver(fileName, modifiedAt) {
          const owner = ownerOf(fileName)
          // The age of the file counts as well: a replica that was suspended for an hour may write before its next
          // beat.
          const leftAfterMs = owner === undefined ? namelessGoneAfterMs : goneAfterMs
          return owner !== id && isGone(owner) && (isAlone || now - modifiedAt > leftAfterMs)
        },
        async removeHeartbeats(owners) {
          for (const name of beats.keys()) {
            if (name !== id && isGone(name) && !owners.has(name)) await marks.remove(name)
          }
        },
      }
    },
    async stop(isClean) {
      clearInterval(timer)
      if (starting === undefined) return
      await starting
      if (isClean) await marks.remove(id)
    },
  }
}
