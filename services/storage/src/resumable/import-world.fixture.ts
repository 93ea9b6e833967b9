import { MIB } from '@cairn/protocol'
import { expect } from 'vitest'
import { freedFeedFrom } from '../multipart/freed-feed.fixture.ts'
import { feedFrom } from '../multipart/read-multipart.ts'
import { check } from '../packs/checking/check.ts'
import { comparePacks } from '../packs/packs.ts'
import { removeUnreferencedPacks } from '../packs/removal/remove-packs.ts'
import { bearer } from '../start-test-storage.fixture.ts'
import { addParts, fileSource } from '../uploads/uploads.ts'
import { describeTus, type TusWorld } from './describe-tus.fixture.ts'
import { receiveBytes } from './receive-bytes.ts'
import { acquireUpload, releaseUpload } from './store.ts'
import { storeUpload } from './store-upload.ts'
import { readUploadMetadata } from './upload-metadata.ts'

export const day = 24 * 3_600_000
const never = new AbortController().signal

/** Returns the id of an upload from its path. */
export const idOf = (path: string): string => path.split('/').at(-1) ?? ''

/** The world of a test, with steps of an upload and what it leaves in the store. */
export type ImportWorld = TusWorld & ReturnType<typeof inspectImports>

/**
 * Describes tests of uploads that become content as they come, on each database of this run, whose kind replaces `%s` in the title.
 * @param tests gets a function that returns the world of the current test
 */
export function describeImports(title: string, tests: (world: () => ImportWorld) => void): void {
  describeTus(title, (world) => tests(() => ({ ...world(), ...inspectImports(world()) })), {
    CAIRN_FREE_BYTES: String(512 * MIB),
    CAIRN_RATE_FACTOR: '0',
  })
}

function inspectImports({ storage, key, address }: TusWorld) {
  /** Receives bytes as one request does, in pieces of any size. */
  const receive = async (id: string, pieces: readonly Uint8Array[], context = storage.context): Promise<number> => {
    const upload = await acquireUpload(context, id, 'receiving', 'one')
    if (upload === undefined) throw new Error('another writer has it')
    try {
      return await receiveBytes(context, upload, 'one', freedFeedFrom(pieces))
    } finally {
      await releaseUpload(storage.context, id, 'one')
    }
  }
  const store = async (id: string) => {
    const upload = await acquireUpload(storage.context, id, 'received', 'two')
    if (upload === undefined) throw new Error('it is not complete')
    return storeUpload(storage.context, upload, 'two', never)
  }
  /** CID of the same bytes sent in one request. */
  const cidInOne = async (bytes: Uint8Array, metadata: string) => {
    const { settings, name } = readUploadMetadata(metadata)
    const options = { ...settings, isKubo: false, onlyHash: true }
    const { roots } = await addParts(
      storage.context,
      address,
      fileSource(feedFrom([bytes]), { fileName: name }),
      options,
    )
    return roots[0]?.Hash
  }
  const metadataOf = async (id: string) => {
    const row = await storage.context.db.read
      .selectFrom('resumable_upload')
      .select('metadata')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return row.metadata
  }
  const packRows = () => storage.context.db.read.selectFrom('pack').selectAll().orderBy('id').execute()
  const heldRows = () => storage.context.db.read.selectFrom('held_pack').selectAll().execute()
  const importRows = () => storage.context.db.read.selectFrom('resumable_import').select('upload_id').execute()
  const objectBytes = async (prefix: string): Promise<number> => {
    let bytes = 0
    for await (const name of storage.context.objects.list(prefix)) {
      bytes += (await storage.context.objects.size(name)) ?? 0
    }
    return bytes
  }
  const workerClock = () => ({ now: storage.context.clock.now, sleep: async () => undefined })
  const removePacks = () => removeUnreferencedPacks({ ...storage.context, clock: workerClock(), graceMs: day })
  const expectClean = async () => {
    expect(await Array.fromAsync(check({ ...storage.context, readData: 1 }))).toEqual([])
    expect(await comparePacks(storage.context)).toEqual({ unnamed: [], missing: [], returned: [] })
  }
  const addPlain = async (bytes: Uint8Array<ArrayBuffer>) => {
    const form = new FormData()
    form.append('file', new Blob([bytes]), 'a.bin')
    const answer = await storage.call('/api/v0/add?cid-version=1', { method: 'POST', ...bearer(key), body: form })
    return (answer.json as { Hash: string }).Hash
  }
  const deletePlain = async (cid: string) => {
    const row = await storage.context.db.read
      .selectFrom('upload')
      .select('id')
      .where('cid', '=', cid)
      .executeTakeFirstOrThrow()
    const answer = await storage.call(`/api/user/delete_file?id=${row.id}`, { method: 'DELETE', ...bearer(key) })
    expect(answer.status).toBe(200)
  }
  return {
    receive,
    store,
    cidInOne,
    metadataOf,
    packRows,
    heldRows,
    importRows,
    objectBytes,
    removePacks,
    expectClean,
    addPlain,
    deletePlain,
  }
}
