import { KIB } from '@cairn/protocol'
import type { ByteRange } from '@cairn/service'
import { readFile } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { code as rawCode } from 'multiformats/codecs/raw'
import { guardSource } from '../../moderation/moderation.ts'
import type { S3Call } from '../s3-call.ts'
import type { ObjectRow } from '../store.ts'

/** Reads a range of an object. Each piece is valid until the next is requested. @throws CairnError of reads */
export async function* readObject(
  { context, signal }: Pick<S3Call, 'context' | 'signal'>,
  { cid }: Pick<ObjectRow, 'cid'>,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = context.packs.openReader()
  try {
    yield* readFile(guardSource(reader, context.denylist), CID.parse(cid), { fromByte: start, toByte: end, signal })
  } finally {
    reader.close()
  }
}

/** Maximum size of an object that is read at once: as much as a connection buffers anyway. */
const maxAtOnceBytes = 64 * KIB

/**
 * Returns a small object that is one block of its own bytes, and undefined for others. To read it as a file, piece by piece, would
 * take longer than to read its block.
 * @throws CairnError of reads
 */
export async function readSmallObject(
  { context, signal }: Pick<S3Call, 'context' | 'signal'>,
  row: Pick<ObjectRow, 'cid' | 'size_bytes'>,
): Promise<Uint8Array | undefined> {
  if (row.size_bytes > maxAtOnceBytes) return undefined
  const cid = CID.parse(row.cid)
  if (cid.code !== rawCode) return undefined
  const bytes = await context.packs.get(cid, { signal })
  return bytes.length === row.size_bytes ? bytes : undefined
}
