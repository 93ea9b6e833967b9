import { CairnError, maxBlockBytes, maxCarHeaderBytes } from '@cairn/protocol'
import { maxIdentityBytes, missingBlock, readCar, UnixfsError, verifyBlock } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { identityCode } from '../content/parse-cid.ts'
import { hashSha256, type PackStore, type PackWriter } from '../packs/packs.ts'
import type { DagIndex } from './dag-index.ts'

/** Multicodec of raw bytes, which have no links. */
const rawCode = 0x55
/** Number of leaves found per query. */
export const leavesAtOnce = 512
/** Maximum number of roots per CAR. */
const maxRoots = 1000

/** Content of an imported CAR. */
export type CarContent = { roots: CID[]; blockCount: number; blockBytes: number }

/** Options of a CAR import. */
export type ImportCarBlocksOptions = {
  index: DagIndex
  writer: PackWriter
  /** Called before each block is consumed; may reject or delay it. */
  acquireQuota(sizeBytes: number): void | Promise<void>
}

/**
 * Reads a CAR block by block: checks each against its CID, adds it to the index and appends it to the pack, once.
 *
 * @throws UnixfsError BAD_CAR, BAD_BLOCK, HASH_MISMATCH, UNSUPPORTED, TOO_LARGE; what the sink and `acquireQuota` throw.
 */
export async function importCarBlocks(
  source: AsyncIterable<Uint8Array>,
  { index, writer, acquireQuota }: ImportCarBlocksOptions,
): Promise<CarContent> {
  const car = await readCar(source, { maxHeaderBytes: maxCarHeaderBytes, maxBlockBytes: maxBlockBytes })
  if (car.roots.length > maxRoots) {
    await car.close()
    throw new UnixfsError('BAD_CAR', `The CAR has more than ${maxRoots} roots`)
  }
  let blockCount = 0
  let blockBytes = 0
  for await (const { cid, bytes } of car.blocks) {
    blockCount++
    blockBytes += bytes.length
    await importBlock(cid, bytes, { index, writer, acquireQuota })
  }
  return { roots: car.roots, blockCount, blockBytes }
}

/** Checks a block against its CID, adds it to the index and appends it to the pack, once. @throws as {@link importCarBlocks} */
export async function importBlock(
  cid: CID,
  bytes: Uint8Array,
  { index, writer, acquireQuota }: ImportCarBlocksOptions,
): Promise<void> {
  await verifyBlock(cid, bytes, hashSha256)
  const allowed = acquireQuota(bytes.length)
  if (allowed instanceof Promise) await allowed
  if (!index.add(cid, bytes) || cid.multihash.code === identityCode) return
  const put = writer.sink.put(cid, bytes)
  if (put instanceof Promise) await put
}

/**
 * Finds the blocks that the roots need and the CAR omits: in identity CIDs, or already stored, in which case the
 * upload protects them from removal.
 *
 * @param takeMissing brings a block that is not stored here; without it such a block is an error
 * @throws UnixfsError MISSING_BLOCK, BAD_BLOCK, UNSUPPORTED, TOO_LARGE; CairnError DATA_DAMAGED
 */
export async function completeDag(
  roots: readonly CID[],
  index: DagIndex,
  writer: PackWriter,
  packs: PackStore,
  signal?: AbortSignal,
  takeMissing?: (cid: CID) => Promise<void>,
): Promise<void> {
  let leaves: CID[] = []
  const addLeaves = async (): Promise<void> => {
    const some = leaves
    leaves = []
    const sizes = await writer.keep(some)
    for (const [at, cid] of some.entries()) {
      const sizeBytes = sizes[at]
      if (sizeBytes !== undefined) index.addLeaf(cid, sizeBytes)
      else await take(cid)
    }
  }
  const take = async (cid: CID, reason = missingBlock(cid)): Promise<void> => {
    if (takeMissing === undefined) throw reason
    signal?.throwIfAborted()
    await takeMissing(cid)
  }
  const addStored = async (cid: CID): Promise<void> => {
    let bytes: Uint8Array
    try {
      bytes = await packs.get(cid, { signal })
    } catch (error) {
      if (!CairnError.is(error, 'BLOCK_NOT_FOUND')) throw error
      // It is in the pack that is being written, whose blocks cannot be read yet.
      const what = `Block ${cid} is missing: its bytes were sent under a CID with another codec`
      return take(cid, new UnixfsError('MISSING_BLOCK', what, { cid: `${cid}` }))
    }
    index.add(cid, bytes)
  }
  for (const cid of index.missing(roots)) {
    signal?.throwIfAborted()
    const { code, digest } = cid.multihash
    if (code === identityCode) {
      if (digest.length > maxIdentityBytes) throw new UnixfsError('TOO_LARGE', 'An identity CID is too long')
      index.add(cid, digest)
    } else if (cid.code === rawCode) leaves.push(cid)
    else if ((await writer.keep([cid]))[0] === undefined) await take(cid)
    else await addStored(cid)
    if (leaves.length === leavesAtOnce) await addLeaves()
  }
  await addLeaves()
}
