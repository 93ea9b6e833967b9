import { randomUUID } from 'node:crypto'
import { keptLevel, keptPayloadBytes, type PieceTree } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import type { ObjectStore } from '@cairn/service/objects'
import type { PieceRow } from './store.ts'

/** Key prefix of piece trees in the object store. */
export const treePrefix = 'trees/'

/** Stores the nodes of a tree; undefined when it consists of its root only. */
export async function writeTree(objects: ObjectStore, tree: PieceTree): Promise<string | undefined> {
  if (tree.nodes.length <= 32) return undefined
  const key = `${treePrefix}${randomUUID()}`
  const writer = await objects.create(key)
  try {
    await writer.append([tree.nodes])
    await writer.finish()
  } catch (error) {
    await writer.abort()
    throw error
  }
  return key
}

/** Reads the tree of a piece. @throws CairnError DATA_DAMAGED */
export async function readTree(objects: ObjectStore, row: PieceRow): Promise<PieceTree> {
  const piece = { root: row.root, height: row.height, payloadBytes: row.payload_bytes }
  if (row.tree_key === null) return { piece, nodes: row.root }
  const sizeBytes = await objects.size(row.tree_key)
  const expected = row.height < keptLevel ? 32 : Math.ceil(row.payload_bytes / keptPayloadBytes) * 32
  if (sizeBytes !== expected) throw new CairnError('DATA_DAMAGED', { details: { piece: row.cid } })
  return { piece, nodes: await objects.read(row.tree_key, 0, sizeBytes) }
}
