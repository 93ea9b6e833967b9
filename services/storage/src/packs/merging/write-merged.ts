import { CairnError, maxBlockBytes } from '@cairn/protocol'
import type { ObjectStore, ObjectWriter } from '@cairn/service/objects'
import { encodeCarFrame, readCar, UnixfsError, verifyBlock } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { hashSha256 } from '../hash-sha256.ts'
import { encodeManifest, encodePackHeader, packHeaderBytes, readManifestBlock } from '../manifest.ts'
import { nextPackId, packKey } from '../pack-id.ts'
import { objectKeyOf, type PlacedPack, shiftOf } from '../pack-place.ts'

/** A pack that can be merged with others. */
export type MergeablePack = PlacedPack & {
  id: bigint
  size_bytes: number
  block_count: number
  created_at: number
  is_private: 0 | 1
}

/** A pack in a merged one: the distance of its bytes from their offsets in a pack of its own. */
export type Member = { pack: MergeablePack; shift: number }

/** A durable merged pack that no row names yet. */
export type MergedPack = {
  id: bigint
  objectKey: string
  sizeBytes: number
  createdAt: number
  manifestOffset: number
  isPrivate: boolean
  members: Member[]
}

/** Dependencies of writing. `pace` is called after each pack with its bytes, and may wait. */
export type WriteMergedParts = {
  objects: ObjectStore
  clock: { now(): number }
  pace(bytes: number): Promise<void>
  /** Called for a pack whose bytes do not match; it stays where it is. */
  onFaulty(pack: MergeablePack): Promise<void>
}

/**
 * Writes packs one after the other into one object: an ordinary CARv1 whose frames are those of the packs, unchanged
 * and in their order, with a manifest that names the roots of all. Each block is verified on the way. Returns
 * undefined when nothing is left to merge.
 * @param packs all of them private, or none: the manifest says which
 */
export async function writeMerged(
  parts: WriteMergedParts,
  packs: readonly MergeablePack[],
): Promise<MergedPack | undefined> {
  const { objects, clock } = parts
  const id = nextPackId(clock.now())
  const objectKey = packKey(id)
  const writer = await objects.create(objectKey, { usesHeadroom: true })
  try {
    const { members, roots, end } = await appendAll(parts, packs, writer)
    if (members.length === 0) {
      await writer.abort()
      return undefined
    }
    const createdAt = clock.now()
    const isPrivate = members.some(({ pack }) => pack.is_private === 1)
    const manifest = encodeManifest(roots, createdAt, isPrivate)
    await writer.append([encodeCarFrame(manifest.cid, manifest.bytes.length), manifest.bytes])
    await writer.setHead(encodePackHeader(manifest.cid))
    const { sizeBytes } = await writer.finish()
    return { id, objectKey, sizeBytes, createdAt, manifestOffset: end, isPrivate, members }
  } catch (error) {
    await writer.abort()
    throw error
  }
}

async function appendAll(
  { objects, pace, onFaulty }: WriteMergedParts,
  packs: readonly MergeablePack[],
  writer: ObjectWriter,
): Promise<{ members: Member[]; roots: CID[]; end: number }> {
  const members: Member[] = []
  const roots: CID[] = []
  let end = packHeaderBytes
  await writer.append([new Uint8Array(packHeaderBytes)])
  for (const pack of packs) {
    const frames = await readFrames(objects, pack)
    await pace(pack.size_bytes)
    if (frames === undefined) {
      await onFaulty(pack)
      continue
    }
    members.push({ pack, shift: end - packHeaderBytes })
    roots.push(...frames.roots)
    await writer.append([frames.bytes])
    end += frames.bytes.length
  }
  return { members, roots, end }
}

/** Reads all frames of a pack and verifies them; undefined when they are damaged or incomplete. */
async function readFrames(
  objects: ObjectStore,
  pack: MergeablePack,
): Promise<{ bytes: Uint8Array; roots: CID[] } | undefined> {
  const length = pack.size_bytes - packHeaderBytes
  try {
    const bytes = await objects.read(objectKeyOf(pack), shiftOf(pack) + packHeaderBytes, length)
    const car = await readCar(carOf(bytes), { maxBlockBytes })
    let count = 0
    let last: { cid: CID; bytes: Uint8Array } | undefined
    for await (const block of car.blocks) {
      await verifyBlock(block.cid, block.bytes, hashSha256)
      last = block
      count++
    }
    // The manifest is not counted.
    if (last === undefined || count !== pack.block_count + 1) return undefined
    const { roots, isPrivate } = readManifestBlock(last)
    // Its row decides who reads it: a merged pack must not say otherwise.
    return isPrivate === (pack.is_private === 1) ? { bytes, roots } : undefined
  } catch (error) {
    if (UnixfsError.is(error) || CairnError.is(error, 'DATA_DAMAGED')) return undefined
    throw error
  }
}

/** The header names a root that the reader does not look for. */
async function* carOf(frames: Uint8Array): AsyncGenerator<Uint8Array> {
  yield encodePackHeader(encodeManifest([], 0, false).cid)
  yield frames
}
