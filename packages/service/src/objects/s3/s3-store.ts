import { randomUUID } from 'node:crypto'
import { MIB } from '@cairn/protocol'
import type { Mark } from '../marks.ts'
import { missing } from '../object-errors.ts'
import { type AbandonedObject, type ObjectStore, requireKey } from '../objects.ts'
import { openReplicas, ownerOf, type ReplicaView } from '../replicas.ts'
import type { S3Settings } from '../s3-settings.ts'
import { openUnconfirmedNotes } from '../unconfirmed-notes.ts'
import { createPartMemory } from './part-memory.ts'
import { defaultLimits, openS3Bucket, type S3Limits } from './s3-bucket.ts'
import { identifyS3, recogniseS3 } from './s3-identity.ts'
import { openS3Marks } from './s3-marks.ts'
import { createS3Writer } from './s3-writer.ts'

/** Options of an S3 store. */
export type S3StoreOptions = {
  /** Id of this process: lower-case letters, digits and hyphens. Defaults to a random UUID. */
  replica?: string
  limits?: S3Limits
  /** Whether this process only reads: nothing is written then. Defaults to false. */
  isReader?: boolean
}

const finished = 'objects/'
const unconfirmed = 'unconfirmed/'
const heartbeats = 'replicas/'
/** Maximum memory for parts that are sent while another part of the same object is in flight: four of the first size. */
const maxPartMemoryBytes = 32 * MIB
/** Age after which a multipart upload without a note counts as left over: its start was sent twice. */
const namelessGoneAfterMs = 24 * 3_600_000

/**
 * Objects on an S3 store, below the configured prefix: finished ones in `objects/`, notes of unconfirmed ones in
 * `unconfirmed/`, heartbeats in `replicas/`. Replicas share the store; nothing excludes another process.
 *
 * @throws CairnError INVALID_CONFIGURATION when the bucket cannot be used, or overwrites objects; UNAVAILABLE
 */
export async function openS3Store(
  settings: S3Settings,
  { replica = randomUUID(), limits = defaultLimits, isReader = false }: S3StoreOptions = {},
): Promise<ObjectStore> {
  const bucket = openS3Bucket(settings, limits)
  const identity = await (isReader ? recogniseS3 : identifyS3)(bucket, settings.bucket).catch((error: unknown) => {
    bucket.close()
    throw error
  })
  const replicas = openReplicas(openS3Marks(bucket, heartbeats), replica, false)
  const notes = openUnconfirmedNotes(openS3Marks(bucket, unconfirmed), replicas)
  const memory = createPartMemory(maxPartMemoryBytes)
  /** Keys that this process is writing, with their number of writers. */
  const active = new Map<string, number>()

  const pathOf = (key: string): string => {
    requireKey(key)
    return finished + key
  }
  const changeActive = (path: string, by: 1 | -1): void => {
    const count = (active.get(path) ?? 0) + by
    if (count === 0) active.delete(path)
    else active.set(path, count)
  }

  /** Whether the multipart upload of a key was left by a process that is gone. */
  const isLeftOver = async (startedAt: number, ofKey: readonly Mark[], view: ReplicaView): Promise<boolean> => {
    if (ofKey.length === 0) return Date.now() - startedAt > namelessGoneAfterMs
    for (const { name, modifiedAt } of ofKey) {
      const at = await modifiedAt()
      if (ownerOf(name) !== replica && at !== undefined && !view.isLeftOver(name, at)) return false
    }
    return true
  }

  const sweep = async (): Promise<number> => {
    // Uploads before notes: the note of an upload is written before the upload starts.
    const uploads = await Array.fromAsync(bucket.listMultipart(finished))
    const view = await replicas.inspect()
    const noted = await notes.listByKey()
    let removed = 0
    for (const { key: path, uploadId, startedAt } of uploads) {
      if (active.has(path)) continue
      if (!(await isLeftOver(startedAt, noted.get(path.slice(finished.length)) ?? [], view))) continue
      await bucket.abortMultipart(path, uploadId)
      removed++
    }
    const owners = [...noted.values()].flat().map(({ name }) => ownerOf(name) ?? '')
    await view.removeHeartbeats(new Set(owners))
    return removed
  }

  const read: ObjectStore['read'] = async (key, offset, length, into) => {
    const target = into === undefined ? Buffer.allocUnsafeSlow(length) : into.subarray(0, length)
    const path = pathOf(key)
    if (length > 0) await bucket.read(path, offset, target)
    else if ((await bucket.head(path)) === undefined) throw missing(key)
    return target
  }

  return {
    isRemote: true,
    async create(key) {
      const path = pathOf(key)
      await replicas.start()
      changeActive(path, 1)
      return createS3Writer({
        bucket,
        memory,
        key: path,
        setUnconfirmed: (isUnconfirmed) => (isUnconfirmed ? notes.add(key) : notes.remove(key)),
        onEnd: () => changeActive(path, -1),
      })
    },
    confirm: (key) => notes.remove(key),
    read,
    // No cache of the system is in between.
    readOnce: read,
    size: async (key) => (await bucket.head(pathOf(key)))?.sizeBytes,
    async remove(key) {
      await bucket.remove(pathOf(key))
      await notes.remove(key)
    },
    async *list(prefix, from = '') {
      const folder = from.slice(0, from.lastIndexOf('/') + 1)
      const after = folder === '' ? undefined : finished + folder
      for await (const { key } of bucket.list(finished + prefix, after)) yield key.slice(finished.length)
    },
    listUnconfirmed: (of) => notes.list(of),
    async *listAbandoned(prefix): AsyncGenerator<AbandonedObject> {
      for await (const { key, remove } of notes.listLeftOver()) {
        if (key.startsWith(prefix)) yield { key, settle: remove }
      }
    },
    sweep,
    listOthers: async () => (await replicas.inspect()).others,
    async probe() {
      await identity.requireSame()
      await replicas.start()
      await replicas.beat()
    },
    // Nothing stays open between reads.
    releaseFiles: () => undefined,
    async close() {
      // If the store does not answer, other replicas remove the rest by its age.
      const isClean = await notes.listOwners().then(
        (owners) => active.size === 0 && !owners.has(replica),
        () => false,
      )
      try {
        await replicas.stop(isClean)
      } finally {
        bucket.close()
      }
    },
  }
}
