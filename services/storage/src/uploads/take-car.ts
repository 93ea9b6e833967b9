import { blockBytesMost, carHeaderBytesMost } from '@cairn/protocol'
import { maxIdentityBytes, missingBlock, readCar, UnixfsError, verifyBlock } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { identityCode } from '../gateway/parse-cid.ts'
import { hashSha256, type PackStore, type PackWriter } from '../packs/packs.ts'
import type { DagIndex } from './dag-index.ts'

/** Multicodec of raw bytes, which have no links. */
const rawCode = 0x55
/** Most roots of one CAR. */
const rootsMost = 1000

/** What a CAR held. */
export type TakenCar = { roots: CID[]; blockCount: number; blockBytes: number }

/** What taking a CAR in needs. */
export type TakeCarOptions = {
  index: DagIndex
  writer: PackWriter
  /** Told of each block before it is taken; may refuse it or hold it back. */
  takeBytes(sizeBytes: number): void | Promise<void>
}

/**
 * Reads a CAR block by block: each is checked against its CID, noted in the index and appended to the pack, once.
 *
 * @throws UnixfsError BAD_CAR, BAD_BLOCK, HASH_MISMATCH, UNSUPPORTED, TOO_LARGE; what the sink and `takeBytes` throw.
 */
export async function takeCar(
  source: AsyncIterable<Uint8Array>,
  { index, writer, takeBytes }: TakeCarOptions,
): Promise<TakenCar> {
  const car = await readCar(source, { maxHeaderBytes: carHeaderBytesMost, maxBlockBytes: blockBytesMost })
  if (car.roots.length > rootsMost) {
    await car.close()
    throw new UnixfsError('BAD_CAR', `The CAR has more than ${rootsMost} roots`)
  }
  let blockCount = 0
  let blockBytes = 0
  for await (const { cid, bytes } of car.blocks) {
    await verifyBlock(cid, bytes, hashSha256)
    blockCount++
    blockBytes += bytes.length
    const allowed = takeBytes(bytes.length)
    if (allowed instanceof Promise) await allowed
    if (!index.add(cid, bytes) || cid.multihash.code === identityCode) continue
    const put = writer.sink.put(cid, bytes)
    if (put instanceof Promise) await put
  }
  return { roots: car.roots, blockCount, blockBytes }
}

/**
 * Finds what the roots need and the CAR did not bring: in identity CIDs, or stored here already, in which case the
 * upload keeps it from being removed.
 *
 * @throws UnixfsError MISSING_BLOCK, BAD_BLOCK, UNSUPPORTED, TOO_LARGE; CairnError DATA_DAMAGED
 */
export async function completeDag(
  roots: readonly CID[],
  index: DagIndex,
  writer: PackWriter,
  packs: PackStore,
  signal?: AbortSignal,
): Promise<void> {
  for (const cid of index.missing(roots)) {
    signal?.throwIfAborted()
    const { code, digest, bytes } = cid.multihash
    if (code === identityCode) {
      if (digest.length > maxIdentityBytes) throw new UnixfsError('TOO_LARGE', 'An overlong identity CID')
      index.add(cid, digest)
      continue
    }
    if (!(await writer.keep(cid))) throw missingBlock(cid)
    if (cid.code !== rawCode) {
      index.add(cid, await packs.get(cid, { signal }))
      continue
    }
    const [location] = await packs.locate([bytes])
    if (location === undefined) throw missingBlock(cid)
    index.addLeaf(cid, location.length)
  }
}
