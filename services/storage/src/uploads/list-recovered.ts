import { CairnError } from '@cairn/protocol'
import { uuidv7 } from '@cairn/service'
import { UnixfsError } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { identityCode } from '../content/parse-cid.ts'
import type { Context } from '../context.ts'
import { changeAccount, openAccount } from '../ledger/ledger.ts'
import {
  findRecovered,
  holdOthers,
  type PackStore,
  type RecoveredPack,
  recoveredHolder,
  releaseListed,
  releaseSegments,
} from '../packs/packs.ts'
import { chargeOf } from './charge-of.ts'
import { createDagIndex, type DagMeasure } from './dag-index.ts'
import { leavesAtOnce } from './import-car-blocks.ts'
import { findPackIds, insertUploads, type NewUpload } from './store.ts'

/** Multicodec of raw bytes, which have no links. */
const rawCode = 0x55

/** Result of listing one root. */
export type ListedRoot = { cid: string; objectKey: string } & (
  | { kind: 'listed'; sizeBytes: number }
  | { kind: 'incomplete'; reason: string }
)

/** Dependencies of listing. */
export type ListRecoveredParts = Pick<Context, 'db' | 'packs' | 'objects' | 'clock' | 'config'> & {
  signal?: AbortSignal | undefined
}

/** A complete root: its measure, and the packs that hold its blocks. */
type MeasuredRoot = { cid: CID; measure: DagMeasure; packs: bigint[] }

/**
 * Lists the content of imported packs for an account. Each root is named by its CID, because names and owners were
 * lost with the database, and counts towards the account. Releases a pack when all its roots are listed; a pack with
 * an incomplete root stays unchanged. Can be interrupted and repeated.
 */
export async function* listRecovered(parts: ListRecoveredParts, address: string): AsyncGenerator<ListedRoot> {
  const { db, clock, config } = parts
  await db.write((trx) => openAccount(trx, address, { config, now: clock.now() }))
  const segments: bigint[] = []
  for await (const pack of findRecovered(parts)) {
    const { objectKey } = pack
    if (pack.roots.length === 0) segments.push(pack.id)
    for (const cid of pack.unlisted) {
      parts.signal?.throwIfAborted()
      try {
        const needed = new Set<bigint>()
        const measure = await measureRoot(sourceOf(parts, pack), cid, needed)
        await listRoot(parts, address, pack, { cid, measure, packs: [...needed] })
        yield { kind: 'listed', cid: `${cid}`, objectKey, sizeBytes: chargeOf(measure) }
      } catch (error) {
        if (!isIncomplete(error)) throw error
        yield { kind: 'incomplete', cid: `${cid}`, objectKey, reason: error.message }
      }
    }
    await releaseListed(parts.db, pack.id, pack.roots, clock.now())
  }
  await releaseSegments(parts.db, segments)
}

/**
 * Keeps the packs that unlisted roots of imported packs need besides their own: an upload that needs them may be deleted
 * before these roots are listed. Can be interrupted and repeated.
 */
export async function holdRecovered(parts: Omit<ListRecoveredParts, 'config'>): Promise<void> {
  const { db } = parts
  for await (const pack of findRecovered(parts)) {
    const needed = new Set<bigint>()
    for (const cid of pack.unlisted) {
      parts.signal?.throwIfAborted()
      try {
        await measureRoot(sourceOf(parts, pack), cid, needed)
      } catch (error) {
        // The available part of an incomplete root is kept, too.
        if (!isIncomplete(error)) throw error
      }
    }
    needed.delete(pack.id)
    if (needed.size > 0) await db.write((trx) => holdOthers(trx, [...needed], recoveredHolder(pack.id)))
  }
}

function sourceOf({ packs }: Pick<ListRecoveredParts, 'packs'>, { isPrivate }: RecoveredPack) {
  return isPrivate ? packs.openAll() : packs
}

function isIncomplete(error: unknown): error is UnixfsError | CairnError {
  return UnixfsError.is(error) || CairnError.is(error, 'DATA_DAMAGED')
}

/**
 * Walks a DAG.
 * @param needed gets the packs that hold its blocks
 * @throws UnixfsError MISSING_BLOCK, BAD_BLOCK, TOO_LARGE, TOO_DEEP
 */
async function measureRoot(
  packs: Pick<PackStore, 'get' | 'locate'>,
  root: CID,
  needed: Set<bigint>,
): Promise<DagMeasure> {
  // Nothing else runs in this process and roots are measured one by one, so all its memory is available.
  const index = createDagIndex(() => undefined)
  let leaves: CID[] = []
  const locate = async (cids: readonly CID[]): Promise<number[]> => {
    const places = await packs.locate(cids.map(({ multihash }) => multihash.bytes))
    return places.map((place, at) => {
      if (place === undefined) throw new UnixfsError('MISSING_BLOCK', 'A block is missing', { cid: `${cids[at]}` })
      needed.add(place.packId)
      return place.length
    })
  }
  const addLeaves = async (): Promise<void> => {
    const some = leaves
    leaves = []
    const lengths = await locate(some)
    for (const [at, cid] of some.entries()) index.addLeaf(cid, lengths[at] ?? 0)
  }
  for (const cid of index.missing([root])) {
    if (cid.multihash.code === identityCode) index.add(cid, cid.multihash.digest)
    else if (cid.code === rawCode) leaves.push(cid)
    else {
      await locate([cid])
      index.add(cid, await packs.get(cid))
    }
    if (leaves.length === leavesAtOnce) await addLeaves()
  }
  await addLeaves()
  return index.measure(root)
}

/** Lists one root. An existing upload of the same account is linked to the packs instead. */
async function listRoot(
  { db, packs, clock }: ListRecoveredParts,
  address: string,
  pack: RecoveredPack,
  { cid, measure, packs: needed }: MeasuredRoot,
): Promise<void> {
  await db.write(async (trx) => {
    const known = await trx
      .selectFrom('upload')
      .select('id')
      .where('address', '=', address)
      .where('root_multihash', '=', cid.multihash.bytes)
      .where('is_private', '=', pack.isPrivate ? 1 : 0)
      .executeTakeFirst()
    const row = toRow(address, cid, measure, { pack, now: clock.now() })
    const uploadId = known?.id ?? row.id
    const kept = new Set(await findPackIds(trx, uploadId))
    const dependsOn = [...new Set([pack.id, ...needed])].filter((id) => !kept.has(id))
    await packs.lock(trx, { dependsOn })
    if (known === undefined) {
      await insertUploads(trx, db.kind, address, [row])
      await changeAccount(trx, address, { usedBytes: row.size_bytes })
    }
    await packs.record(trx, { own: undefined, dependsOn }, uploadId)
  })
}

function toRow(
  address: string,
  cid: CID,
  { contentBytes, dagSizeBytes, kind }: DagMeasure,
  { pack: { createdAt, isPrivate }, now }: { pack: RecoveredPack; now: number },
): NewUpload {
  const isFile = kind === 'file' || kind === 'raw'
  const isFolder = kind === 'directory' || kind === 'hamt'
  return {
    id: uuidv7(now),
    address,
    cid: `${cid}`,
    root_multihash: cid.multihash.bytes,
    name: `${cid}`,
    mime_type: null,
    size_bytes: chargeOf({ contentBytes, dagSizeBytes }),
    dag_size_bytes: dagSizeBytes,
    encryption: 0,
    storage_type: null,
    kind: isFile ? 'file' : isFolder ? 'directory' : 'car',
    status: 'stored',
    created_at: createdAt,
    updated_at: now,
    is_private: isPrivate ? 1 : 0,
  }
}
