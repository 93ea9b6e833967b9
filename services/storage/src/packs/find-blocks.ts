import { CompiledQuery } from 'kysely'
import type { Database } from '../db/database.ts'
import { bytesKey } from './block-key.ts'
import { objectKeyOf, shiftOf } from './pack-place.ts'
import type { BlockLocation } from './types.ts'

/** Few lengths of IN lists, so that databases can reuse prepared statements; shorter lists repeat their last item. */
const listLengths = [1, 8, 64, 512]
const maxList = 512

type FoundRow = {
  multihash: Uint8Array
  packId: bigint
  offset_bytes: number
  length_bytes: number
  object_key: string
  merged_id: bigint | null
  merged_offset_bytes: number | null
}

/** Which copies count: all readable ones, or those that a new upload may rely on. */
export type CopyFilter = 'readable' | 'referenced'

const isReadable = `pack.state = 'live' and pack.missing_at is null and block.damaged_at is null`
const conditions: Readonly<Record<CopyFilter, string>> = {
  readable: isReadable,
  referenced: `${isReadable} and pack.unreferenced_at is null`,
}

/** Returns all copies of the given blocks by multihash key; blocks without a copy are absent. */
export async function findBlocks(
  { kind, read }: Pick<Database, 'kind' | 'read'>,
  multihashes: readonly Uint8Array[],
  filter: CopyFilter,
): Promise<Map<string, BlockLocation[]>> {
  const found = new Map<string, BlockLocation[]>()
  for (let start = 0; start < multihashes.length; start += maxList) {
    const wanted = multihashes.slice(start, start + maxList)
    const query = CompiledQuery.raw(statementFor(kind, wanted.length, filter), pad(wanted))
    const { rows } = await read.executeQuery<FoundRow>(query)
    for (const row of rows) {
      const key = bytesKey(row.multihash)
      const location: BlockLocation = {
        packId: row.packId,
        objectKey: objectKeyOf(row),
        offset: shiftOf(row) + row.offset_bytes,
        length: row.length_bytes,
      }
      const copies = found.get(key)
      if (copies === undefined) found.set(key, [location])
      else copies.push(location)
    }
  }
  return found
}

const statements = new Map<string, string>()

function statementFor(kind: Database['kind'], count: number, filter: CopyFilter): string {
  const length = lengthFor(count)
  const key = `${kind} ${filter} ${length}`
  const known = statements.get(key)
  if (known !== undefined) return known
  const places = Array.from({ length }, (_, at) => (kind === 'sqlite' ? '?' : `$${at + 1}`)).join(', ')
  const statement = `select block.multihash, block.pack_id as "packId", block.offset_bytes, block.length_bytes, pack.object_key,
      pack.merged_id, pack.merged_offset_bytes
    from block join pack on pack.id = block.pack_id
    where block.multihash in (${places}) and ${conditions[filter]}`
  statements.set(key, statement)
  return statement
}

function lengthFor(count: number): number {
  return listLengths.find((length) => length >= count) ?? maxList
}

function pad(multihashes: readonly Uint8Array[]): Uint8Array[] {
  const padded = [...multihashes]
  const last = padded.at(-1)
  while (last !== undefined && padded.length < lengthFor(multihashes.length)) padded.push(last)
  return padded
}
