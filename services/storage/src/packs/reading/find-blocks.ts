import { CompiledQuery } from 'kysely'
import type { Database } from '../../db/database.ts'
import { bytesKey } from '../block-key.ts'
import { objectKeyOf, shiftOf } from '../pack-place.ts'
import type { BlockLocation } from '../types.ts'

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

/** Whose blocks a reader finds: those of public uploads, those of one upload, or, for maintenance, those of all. */
export type BlockView = 'public' | 'all' | { readonly uploadId: string }

/** Returns all copies of the given blocks by multihash key; blocks without a copy are absent. */
export async function findBlocks(
  { kind, read }: Pick<Database, 'kind' | 'read'>,
  multihashes: readonly Uint8Array[],
  filter: CopyFilter,
  view: BlockView,
): Promise<Map<string, BlockLocation[]>> {
  const found = new Map<string, BlockLocation[]>()
  for (let start = 0; start < multihashes.length; start += maxList) {
    const wanted = multihashes.slice(start, start + maxList)
    const statement = statementFor(kind, wanted.length, filter, view)
    const query = CompiledQuery.raw(statement, [...pad(wanted), ...valuesOf(view)])
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

/** Returns the object of a pack with a block that no reader of this view can read, if there is one. */
export async function findUnreadable(
  { kind, read }: Pick<Database, 'kind' | 'read'>,
  multihash: Uint8Array,
  view: BlockView,
): Promise<string | undefined> {
  const { rows } = await read.executeQuery<{ object_key: string }>(
    CompiledQuery.raw(
      `select pack.object_key from block join pack on pack.id = block.pack_id
        where block.multihash = ${placeOf(kind, 1)} and pack.state = 'live' and ${conditionOf(kind, view, 2)} limit 1`,
      [multihash, ...valuesOf(view)],
    ),
  )
  return rows[0]?.object_key
}

/** The condition of a view, with its value at position `at`. */
function conditionOf(kind: Database['kind'], view: BlockView, at: number): string {
  if (view === 'all') return 'true'
  if (view === 'public') return 'pack.is_private = 0'
  return `exists (select 1 from upload_pack where upload_pack.upload_id = ${placeOf(kind, at)} and upload_pack.pack_id = pack.id)`
}

function valuesOf(view: BlockView): string[] {
  return typeof view === 'string' ? [] : [view.uploadId]
}

function placeOf(kind: Database['kind'], at: number): string {
  return kind === 'sqlite' ? '?' : `$${at}`
}

const statements = new Map<string, string>()

function statementFor(kind: Database['kind'], count: number, filter: CopyFilter, view: BlockView): string {
  const length = lengthFor(count)
  const key = `${kind} ${filter} ${typeof view === 'string' ? view : 'upload'} ${length}`
  const known = statements.get(key)
  if (known !== undefined) return known
  const places = Array.from({ length }, (_, at) => placeOf(kind, at + 1)).join(', ')
  const statement = `select block.multihash, block.pack_id as "packId", block.offset_bytes, block.length_bytes, pack.object_key,
      pack.merged_id, pack.merged_offset_bytes
    from block join pack on pack.id = block.pack_id
    where block.multihash in (${places}) and ${conditions[filter]} and ${conditionOf(kind, view, length + 1)}`
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
