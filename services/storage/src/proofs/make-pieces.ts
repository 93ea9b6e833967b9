import { randomUUID } from 'node:crypto'
import { encodePieceCid, heightMost, roomOf } from '@cairn/pieces'
import { MIB } from '@cairn/protocol'
import type { Context } from '../context.ts'
import type { PieceHashing } from './piece-hashing.ts'
import { readPacks } from './piece-payload.ts'
import { writeTree } from './tree-object.ts'

/** Packs from this size on are pieces of their own; smaller ones share one, for each piece costs room in an index. */
const aloneBytes = MIB
const togetherBytesMost = 16 * MIB
const packsInOneQuery = 500

type WaitingPack = { id: bigint; object_key: string; size_bytes: number; created_at: number }

/** What making pieces needs. */
export type PieceMaking = { context: Context; hashing: PieceHashing }

/** Makes pieces of all packs that wait for it; answers how many were made. */
export async function makePieces(making: PieceMaking, signal: AbortSignal): Promise<number> {
  let made = 0
  for (const size of ['large', 'small'] as const) {
    for (;;) {
      const packs = await findWaiting(making.context, size)
      const groups = size === 'large' ? packs.map((pack) => [pack]) : groupRipe(packs, making.context)
      for (const group of groups) {
        signal.throwIfAborted()
        const copies = await findCopies(making.context, group)
        for (const [wanted, same] of Map.groupBy(group, ({ id }) => copies.get(id) ?? 0)) {
          if (wanted > 0) await makePiece(making, same, wanted, signal)
          made++
        }
      }
      if (packs.length < packsInOneQuery || groups.length === 0) break
    }
  }
  return made
}

function findWaiting({ db }: Context, size: 'large' | 'small'): Promise<WaitingPack[]> {
  return (
    db.read
      .selectFrom('pack')
      .select(['pack.id', 'pack.object_key', 'pack.size_bytes', 'pack.created_at'])
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('piece_pack').select('piece_id').whereRef('piece_pack.pack_id', '=', 'pack.id'))),
      )
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('upload_pack').select('upload_id').whereRef('upload_pack.pack_id', '=', 'pack.id')),
      )
      .where('pack.state', '=', 'live')
      .where('pack.size_bytes', size === 'large' ? '>=' : '<', aloneBytes)
      // What is larger than half the largest tree has no room beside an index.
      .where('pack.size_bytes', '<=', roomOf(heightMost - 1))
      .orderBy('pack.id')
      .limit(packsInOneQuery)
      .execute()
  )
}

/** Small packs, put together once enough of them wait or one has waited for half the time that aggregates wait. */
function groupRipe(packs: readonly WaitingPack[], { config, clock }: Context): WaitingPack[][] {
  const groups: WaitingPack[][] = []
  let group: WaitingPack[] = []
  let bytes = 0
  for (const pack of packs) {
    if (bytes + pack.size_bytes > togetherBytesMost) {
      groups.push(group)
      group = []
      bytes = 0
    }
    group.push(pack)
    bytes += pack.size_bytes
  }
  const [oldest] = group
  if (oldest !== undefined && oldest.created_at <= clock.now() - config.deals.waitMs / 2) groups.push(group)
  return groups
}

/** The most copies that any account wants which has something in a pack. */
async function findCopies({ db, config }: Context, packs: readonly WaitingPack[]): Promise<Map<bigint, number>> {
  const { copies: usual, copiesMost } = config.deals
  const rows = await db.read
    .selectFrom('upload_pack')
    .innerJoin('upload', 'upload.id', 'upload_pack.upload_id')
    .leftJoin('copy_policy', 'copy_policy.address', 'upload.address')
    .select(({ fn, val }) => [
      'upload_pack.pack_id',
      fn.max<number>(fn.coalesce('copy_policy.copies', val(usual))).as('copies'),
    ])
    .where(
      'upload_pack.pack_id',
      'in',
      packs.map(({ id }) => id),
    )
    .groupBy('upload_pack.pack_id')
    .execute()
  return new Map(rows.map((row) => [row.pack_id, Math.min(Number(row.copies), copiesMost)]))
}

/** Computes the commitment, keeps the nodes, and then the rows, in this order: a crash leaves an object and no more. */
async function makePiece(
  { context, hashing }: PieceMaking,
  packs: readonly WaitingPack[],
  copies: number,
  signal: AbortSignal,
): Promise<void> {
  const { db, objects, clock } = context
  let sizeBytes = 0
  const parts = packs.map(({ id, object_key: objectKey, size_bytes }) => {
    const part = { id, objectKey, offset: sizeBytes, sizeBytes: size_bytes }
    sizeBytes += size_bytes
    return part
  })
  const tree = await hashing.hash(readPacks(objects, parts), sizeBytes, signal)
  const treeKey = await writeTree(objects, tree)
  const id = randomUUID()
  try {
    await db.write(async (trx) => {
      await trx
        .insertInto('piece')
        .values({
          id,
          cid: encodePieceCid(tree.piece),
          root: tree.piece.root,
          height: tree.piece.height,
          payload_bytes: tree.piece.payloadBytes,
          copies,
          tree_key: treeKey ?? null,
          created_at: clock.now(),
          aggregate_id: null,
          position: null,
        })
        .execute()
      const rows = parts.map((part) => ({
        pack_id: part.id,
        piece_id: id,
        offset_bytes: part.offset,
        size_bytes: part.sizeBytes,
        object_key: part.objectKey,
      }))
      await trx.insertInto('piece_pack').values(rows).execute()
    })
  } catch (error) {
    if (treeKey !== undefined) await objects.remove(treeKey)
    throw error
  }
}
