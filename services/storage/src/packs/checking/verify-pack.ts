import { CairnError, MIB } from '@cairn/protocol'
import type { ObjectStore } from '@cairn/service/objects'
import type { Database } from '../../db/database.ts'
import { isSha256Multihash } from '../block-key.ts'
import { encodePackHeader, findManifest, type Manifest, packHeaderBytes } from '../manifest.ts'
import { objectKeyOf, type PlacedPack, shiftOf } from '../pack-place.ts'
import { isBlockOfMultihash } from '../reading/verify-bytes.ts'

const rowsInOneQuery = 256
const maxRunBytes = MIB

/** A pack as recorded in its row. */
export type PackToVerify = PlacedPack & { id: bigint; size_bytes: number; block_count: number }

/** Result of a verification. */
export type PackVerification = {
  blocks: number
  bytes: number
  /** Multihashes of blocks whose bytes do not match. */
  damaged: Uint8Array[]
  /** Texts about errors of the file outside of the blocks: such a pack is readable but could not be re-indexed. */
  failures: string[]
}

/** Dependencies of a verification. `pace` is called after each read with its bytes, and may wait. */
export type VerifyPackParts = {
  db: Database
  objects: ObjectStore
  pace?: (bytes: number) => Promise<void>
  signal?: AbortSignal | undefined
}

type Row = { multihash: Uint8Array; offset_bytes: number; length_bytes: number }

/** Reads a whole pack in byte order and verifies every block, every frame and the manifest. */
export async function verifyPack(pack: PackToVerify, parts: VerifyPackParts): Promise<PackVerification> {
  const { db, objects, pace = async () => undefined, signal } = parts
  const found: PackVerification = { blocks: 0, bytes: 0, damaged: [], failures: [] }
  const [key, shift] = [objectKeyOf(pack), shiftOf(pack)]
  let end = packHeaderBytes
  /** Offset of the last block. Not its end, where it is found again if it is empty. */
  let last = 0
  for (let rows = await rowsAfter(db, pack.id, last); rows.length > 0; rows = await rowsAfter(db, pack.id, last)) {
    last = rows.at(-1)?.offset_bytes ?? last
    for (const run of runsOf(rows)) {
      signal?.throwIfAborted()
      const final = run.at(-1)
      const runEnd = final === undefined ? end : final.offset_bytes + final.length_bytes
      const bytes = await readOrNothing(objects, key, shift + end, runEnd - end)
      let at = end
      for (const row of run) {
        const start = row.offset_bytes
        const block = bytes?.subarray(start - end, start - end + row.length_bytes)
        found.blocks++
        if (block === undefined || !(await isBlockOfMultihash(row.multihash, block))) found.damaged.push(row.multihash)
        else if (!isFrame(bytes?.subarray(at - end, start - end), row)) found.failures.push(`frame at byte ${at}`)
        at = start + row.length_bytes
      }
      found.bytes += runEnd - end
      end = runEnd
      await pace(bytes?.length ?? 0)
    }
  }
  if (found.blocks !== pack.block_count) found.failures.push(`${found.blocks} rows of ${pack.block_count} blocks`)
  if ((await readManifest(objects, pack, end)) === undefined) found.failures.push('header or manifest')
  return found
}

function rowsAfter(db: Database, packId: bigint, offset: number): Promise<Row[]> {
  return db.read
    .selectFrom('block')
    .select(['multihash', 'offset_bytes', 'length_bytes'])
    .where('pack_id', '=', packId)
    .where('offset_bytes', '>', offset)
    .orderBy('offset_bytes')
    .limit(rowsInOneQuery)
    .execute()
}

/** Groups rows for one read each; a single block may exceed a run. */
function* runsOf(rows: readonly Row[]): Generator<Row[]> {
  let run: Row[] = []
  for (const row of rows) {
    const start = run[0]?.offset_bytes ?? row.offset_bytes
    if (run.length > 0 && row.offset_bytes + row.length_bytes - start > maxRunBytes) {
      yield run
      run = []
    }
    run.push(row)
  }
  if (run.length > 0) yield run
}

async function readOrNothing(
  objects: ObjectStore,
  key: string,
  offset: number,
  length: number,
): Promise<Uint8Array | undefined> {
  try {
    return await objects.readOnce(key, offset, length)
  } catch (error) {
    if (CairnError.is(error, 'DATA_DAMAGED')) return undefined
    throw error
  }
}

/** Whether the bytes before a payload are its length and a CID with its hash. */
function isFrame(prefix: Uint8Array | undefined, { multihash, length_bytes: length }: Row): boolean {
  if (prefix === undefined || prefix.length < multihash.length + 1) return false
  let frameLength = 0
  let at = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = prefix[at++] ?? 0
    frameLength += (byte & 0x7f) * scale
    if (byte < 0x80) break
    if (at > 4) return false
  }
  if (frameLength !== prefix.length - at + length) return false
  // A CID is version 0, which is a SHA2-256 multihash alone, or begins with a 1. Rows store no codec, so it is not
  // compared.
  const isVersion0 = prefix.length - at === multihash.length && isSha256Multihash(multihash)
  if (!isVersion0 && prefix[at] !== 1) return false
  return Buffer.compare(prefix.subarray(-multihash.length), multihash) === 0
}

/**
 * Reads the manifest of a pack, when it is the last block and complete, and the header names it. A pack in a merged one
 * has no header.
 * @param end offset of the end of the block before it, in bytes
 */
export async function readManifest(
  objects: ObjectStore,
  pack: PlacedPack & Pick<PackToVerify, 'size_bytes'>,
  end: number,
): Promise<Manifest | undefined> {
  const key = objectKeyOf(pack)
  const tail = async (from: number) => {
    const bytes = await readOrNothing(objects, key, shiftOf(pack) + from, pack.size_bytes - from)
    return bytes === undefined ? undefined : findManifest(bytes)
  }
  if (pack.size_bytes <= end) return undefined
  if (pack.merged_id !== null) return tail(end)
  if ((await objects.size(key)) !== pack.size_bytes) return undefined
  const head = await readOrNothing(objects, key, 0, packHeaderBytes)
  const manifest = await tail(pack.is_merged === 1 ? (pack.merged_offset_bytes ?? end) : end)
  if (head === undefined || manifest === undefined) return undefined
  return Buffer.compare(head, encodePackHeader(manifest.cid)) === 0 ? manifest : undefined
}
