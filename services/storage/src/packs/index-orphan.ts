import { blockBytesMost, CairnError, MIB } from '@cairn/protocol'
import { decodeNode, readCar, UnixfsError, verifyBlock } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import type { Database } from '../db/database.ts'
import type { ObjectStore } from '../objects/objects.ts'
import { createBlockTable } from './block-table.ts'
import type { OrphanPack } from './find-orphans.ts'
import { hashSha256 } from './hash-sha256.ts'
import { packedBlocks } from './packed-blocks.ts'
import type { OwnPack } from './packs.ts'
import { insertBlocks, insertPack } from './record-pack.ts'
import { sha256DigestOf } from './sha256-multihash.ts'

/** Reads a pack from its own bytes alone; undefined when it is torn, changed, or not one of ours. */
export async function readOrphan(
  objects: ObjectStore,
  orphan: OrphanPack,
): Promise<{ own: OwnPack; roots: CID[] } | undefined> {
  try {
    return await readWhole(objects, orphan)
  } catch (error) {
    if (UnixfsError.is(error) || CairnError.is(error, 'DATA_DAMAGED') || CairnError.is(error, 'UNSUPPORTED_CODEC')) {
      return undefined
    }
    throw error
  }
}

async function readWhole(objects: ObjectStore, { id, key, sizeBytes, modifiedAt }: OrphanPack) {
  const car = await readCar(piecesOf(objects, key, sizeBytes), { maxBlockBytes: blockBytesMost })
  const [root] = car.roots
  const table = createBlockTable()
  let roots: CID[] | undefined
  for await (const { cid, bytes, offset, length } of car.blocks) {
    await verifyBlock(cid, bytes, hashSha256)
    if (root?.equals(cid) === true) {
      roots = decodeNode(cid, bytes).links.map((link) => link.cid)
      continue
    }
    const digest = sha256DigestOf(cid)
    if (table.find(digest) < 0) table.place(table.add(digest, length), offset)
  }
  if (roots === undefined) return undefined
  const blocks = packedBlocks(table, table.size)
  const own: OwnPack = { id, objectKey: key, sizeBytes, createdAt: Math.trunc(modifiedAt), isIndexed: false, blocks }
  return { own, roots }
}

async function* piecesOf(objects: ObjectStore, key: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < sizeBytes; at += MIB) yield await objects.read(key, at, Math.min(MIB, sizeBytes - at))
}

/**
 * Gives an orphan its rows. Until an upload refers to it, it counts as unreferenced since `now`. Interrupted it is an
 * orphan still: the rows come in one unit, however many there are, and only a repair waits for it.
 */
export async function indexOrphan(db: Database, own: OwnPack, now: number): Promise<void> {
  await db.write(async (trx) => {
    if (await insertPack(trx, own, now)) await insertBlocks(trx, db.kind, own.id, [...own.blocks])
  })
}
