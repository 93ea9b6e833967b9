import { CairnError } from '@cairn/protocol'
import type { BlockSource } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import type { ObjectStore } from '../objects/objects.ts'
import type { BlockReader } from './block-reader.ts'
import { hashSha256 } from './hash-sha256.ts'
import { isIdentity } from './identity.ts'
import type { SealedPack } from './packs.ts'
import { sha256DigestOf } from './sha256-multihash.ts'

/** Reads from a pack that is sealed but not recorded, and what is not in it from the store. */
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
      if (Buffer.compare(sha256DigestOf(cid), hashSha256(bytes)) === 0) return bytes
      throw new CairnError('DATA_DAMAGED', { details: { cid: `${cid}`, pack: own.objectKey } })
    },
    async has(cid) {
      return find(cid) !== undefined || reader.has(cid)
    },
  }
}
