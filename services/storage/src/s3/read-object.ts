import type { ByteRange } from '@cairn/service'
import { readFile } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { guardSource } from '../moderation/moderation.ts'
import type { S3Call } from './s3-call.ts'
import type { ObjectRow } from './store.ts'

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
