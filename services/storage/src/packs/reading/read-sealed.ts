import { CairnError } from '@cairn/protocol'
import type { ObjectStore } from '@cairn/service/objects'
import type { BlockSource } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { isIdentity } from '../identity.ts'
import type { SealedPack } from '../types.ts'
import type { BlockReader } from './block-reader.ts'
import { isBlockOf } from './verify-bytes.ts'

/** Reads from a sealed but unrecorded pack, and from the store for other blocks. */
export function readSealed(
  { own }: SealedPack,
  objects: ObjectStore,
  reader: BlockReader,
): BlockSource & { has(cid: CID): Promise<boolean> } {
  const find = (cid: CID) => (isIdentity(cid) ? undefined : own?.blocks.find(cid.multihash.bytes))
  return {
    async get(cid, options) {
      const place = find(cid)
      if (own === undefined || place === undefined) return reader.get(cid, options)
      options?.signal?.throwIfAborted()
      const bytes = await objects.read(own.objectKey, place.offset, place.length)
      if (await isBlockOf(cid, bytes)) return bytes
      throw new CairnError('DATA_DAMAGED', { details: { cid: `${cid}`, pack: own.objectKey } })
    },
    async has(cid) {
      return find(cid) !== undefined || reader.has(cid)
    },
  }
}
