import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CairnError, type ErrorCode } from '@cairn/protocol'
import type { ObjectStore } from '@cairn/service/objects'
import { openFileStore } from '@cairn/service/objects'
import { hashBlock } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import type { Database } from '../db/database.ts'
import type { WorkerClock } from '../workers/worker.ts'
import { check, type Finding } from './checking/check.ts'
import { scrubPacks } from './checking/scrub.ts'
import { createPackStore, hashSha256, type PackEvent, type PackStore, type SealedPack } from './packs.ts'
import { removeUnreferencedPacks } from './removal/remove-packs.ts'
import type { PackOptions } from './types.ts'

const day = 86_400_000

/** A block with a raw CID. */
export type TestBlock = { cid: CID; bytes: Uint8Array }

/** Creates a block of these bytes. */
export function blockOf(content: string | Uint8Array): TestBlock {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return { cid: CID.createV1(0x55, createDigest(0x12, hashSha256(bytes))), bytes }
}

/** Creates a block whose raw CID uses this hash function, with the first `digestBytes` of its digest. */
export async function blockHashedWith(name: string, bytes: Uint8Array, digestBytes?: number): Promise<TestBlock> {
  return { cid: CID.createV1(0x55, await hashBlock(name, bytes, digestBytes)), bytes }
}

/** Creates `count` different blocks of `sizeBytes`, the same for the same `seed`. */
export function manyBlocks(count: number, sizeBytes: number, seed = 1): TestBlock[] {
  return Array.from({ length: count }, (_, at) => {
    const bytes = new Uint8Array(sizeBytes).fill(at % 251)
    new DataView(bytes.buffer).setUint32(0, at)
    new DataView(bytes.buffer).setUint32(4, seed)
    return blockOf(bytes)
  })
}

/** Changes one bit of a file. */
export async function flip(path: string, at: number): Promise<void> {
  const bytes = await readFile(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(path, bytes)
}

/** Yields bytes as one chunk. */
export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Whether a thrown value is an error with this code. */
export const withCode = (code: ErrorCode) => (error: unknown) => CairnError.is(error, code)

/** A pack store in a temporary folder, with a clock that tests control. */
export type PackPlace = {
  readonly folder: string
  readonly db: Database
  readonly objects: ObjectStore
  readonly packs: PackStore
  readonly clock: { ms: number; now(): number }
  readonly events: PackEvent[]
  /** Writes and seals a pack of these blocks. */
  seal(blocks: readonly TestBlock[], options?: PackOptions): Promise<SealedPack>
  /** Records a sealed pack for a new upload and returns its id. */
  record(sealed: SealedPack, root?: CID): Promise<string>
  store(blocks: readonly TestBlock[]): Promise<string>
  /** Stores a private upload. */
  storePrivate(blocks: readonly TestBlock[]): Promise<string>
  /** Deletes an upload. */
  clearUpload(id: string): Promise<void>
  /** Opens a store over the same rows and objects, with empty caches. */
  reopen(): PackStore
  /** Opens the object store as the next process does after this one was killed. */
  restart(): Promise<ObjectStore>
  /** Lists the keys of all pack objects. */
  objectKeys(): Promise<string[]>
  /** Returns the path of the first pack object. */
  onlyObject(): Promise<string>
  /** The clock of a worker that never waits. */
  workerClock(): WorkerClock
  /** Removes the packs that no upload has used for the grace period, of one day by default. */
  removeOld(graceMs?: number): Promise<number>
  /** Checks all packs. */
  findings(options?: Partial<Parameters<typeof check>[0]>): Promise<Finding[]>
  /** Reads all packs once, as the worker does. */
  scrub(): ReturnType<typeof scrubPacks>
  /** Removes all rows of these tables. */
  loseRows(...tables: readonly ('upload_pack' | 'block' | 'pack' | 'upload')[]): Promise<void>
  remove(): Promise<void>
}

/** Creates a store over an empty database. */
export async function createPackPlace(db: Database): Promise<PackPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-packs-'))
  const objects = await openFileStore(folder)
  const clock = { ms: Date.now(), now: () => clock.ms }
  const events: PackEvent[] = []
  const reopen = () => createPackStore({ db, objects, clock, onEvent: (event) => events.push(event) })
  const restarted: ObjectStore[] = []
  const packs = reopen()
  let count = 0
  const roots = new WeakMap<SealedPack, CID>()

  const seal = async (blocks: readonly TestBlock[], options?: PackOptions): Promise<SealedPack> => {
    const writer = packs.begin(options)
    for (const { cid, bytes } of blocks) await writer.sink.put(cid, bytes)
    const root = blocks.at(-1)?.cid ?? blockOf('').cid
    const sealed = await writer.seal([root])
    roots.set(sealed, root)
    return sealed
  }
  const record = async (sealed: SealedPack, root = roots.get(sealed) ?? blockOf('').cid): Promise<string> => {
    const id = `upload-${count++}`
    await db.write(async (trx) => {
      await trx
        .insertInto('upload')
        .values({
          id,
          address: 'a',
          cid: `${root}`,
          root_multihash: root.multihash.bytes,
          name: id,
          mime_type: null,
          size_bytes: 1,
          dag_size_bytes: 1,
          encryption: 0,
          storage_type: null,
          kind: 'file',
          status: 'stored',
          created_at: clock.ms,
          updated_at: clock.ms,
          is_private: sealed.own?.isPrivate ? 1 : 0,
        })
        .execute()
      await packs.record(trx, sealed, id)
    })
    await packs.confirm(sealed)
    return id
  }
  const parts = { folder, db, objects, packs, clock, events }
  const objectKeys = () => Array.fromAsync(objects.list('packs/'))
  const workerClock = () => ({ now: () => clock.ms, sleep: async () => undefined })
  return {
    ...parts,
    seal,
    record,
    store: async (blocks) => record(await seal(blocks), blocks.at(-1)?.cid),
    storePrivate: async (blocks) => record(await seal(blocks, { isPrivate: true }), blocks.at(-1)?.cid),
    clearUpload: (id) =>
      db.write(async (trx) => {
        await packs.release(trx, [id])
        await trx.deleteFrom('upload').where('id', '=', id).execute()
      }),
    reopen,
    async restart() {
      const next = await openFileStore(folder, { isAlone: true })
      restarted.push(next)
      return next
    },
    objectKeys,
    onlyObject: async () => join(folder, 'objects', (await objectKeys())[0] ?? ''),
    workerClock,
    removeOld: (graceMs = day) => removeUnreferencedPacks({ ...parts, clock: workerClock(), graceMs }),
    findings: (options = {}) => Array.fromAsync(check({ ...parts, ...options })),
    scrub: () =>
      scrubPacks(
        { ...parts, clock: workerClock(), owner: 'me', onEvent: (event) => events.push(event) },
        AbortSignal.any([]),
      ),
    loseRows: (...tables) =>
      db.write(async (trx) => {
        for (const table of tables) await trx.deleteFrom(table).execute()
      }),
    async remove() {
      for (const each of [objects, ...restarted]) await each.close()
      await db.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
