import { CairnError, MIB, maxBlockBytes } from '@cairn/protocol'
import type { ObjectStore } from '@cairn/service/objects'
import { readCar, UnixfsError, verifyBlock } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { blockKeyOf } from '../block-key.ts'
import { hashSha256 } from '../hash-sha256.ts'
import { readManifestBlock } from '../manifest.ts'
import { packTime } from '../pack-id.ts'
import type { OwnPack } from '../types.ts'
import { createBlockTable } from '../writing/block-table.ts'
import { packedBlocks } from '../writing/packed-blocks.ts'

/** An object under the key of a pack. */
export type PackObject = { id: bigint; key: string; sizeBytes: number }

/** Content of a pack: its blocks, each verified, and the roots that were uploaded with it. */
export type ReadPack = { own: OwnPack; roots: CID[] }

/** Reads a pack from its own bytes alone; returns undefined when it is truncated, changed or not a Cairn pack. */
export async function readPack(objects: ObjectStore, pack: PackObject): Promise<ReadPack | undefined> {
  try {
    return await readWhole(objects, pack)
  } catch (error) {
    if (UnixfsError.is(error) || CairnError.is(error, 'DATA_DAMAGED') || CairnError.is(error, 'UNSUPPORTED_CODEC')) {
      return undefined
    }
    throw error
  }
}

async function readWhole(objects: ObjectStore, { id, key, sizeBytes }: PackObject): Promise<ReadPack | undefined> {
  const car = await readCar(piecesOf(objects, key, sizeBytes), { maxBlockBytes: maxBlockBytes })
  const [root] = car.roots
  const table = createBlockTable()
  let manifest: ReturnType<typeof readManifestBlock> | undefined
  for await (const { cid, bytes, offset, length } of car.blocks) {
    await verifyBlock(cid, bytes, hashSha256)
    if (root?.equals(cid) === true) {
      manifest = readManifestBlock({ cid, bytes })
      continue
    }
    const key = blockKeyOf(cid)
    if (table.find(key) < 0) table.place(table.add(key, length, cid.multihash.bytes), offset)
  }
  if (manifest === undefined) return undefined
  const { roots, isPrivate } = manifest
  const blocks = packedBlocks(table, table.size)
  return { own: { id, objectKey: key, sizeBytes, createdAt: packTime(id), isPrivate, isIndexed: false, blocks }, roots }
}

async function* piecesOf(objects: ObjectStore, key: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < sizeBytes; at += MIB) yield await objects.read(key, at, Math.min(MIB, sizeBytes - at))
}
