import { type HashFunction, whenReady } from '../cids/hash-function.ts'
import { createSha256Cid, dagPbCode } from '../cids/sha256-cid.ts'
import type { LinkToEncode } from '../formats/dag-pb.ts'
import type { BlockSink } from './block-sink.ts'
import type { ImportProfile } from './profiles.ts'

const noName = new Uint8Array(0)

/** Hashes and stores a dag-pb block and returns the link to it, with the cumulative size of its links. */
export function writeNode(
  block: Uint8Array,
  links: readonly LinkToEncode[],
  profile: ImportProfile,
  hash: HashFunction,
  sink: BlockSink,
): LinkToEncode | Promise<LinkToEncode> {
  let sizeBytes = block.length
  for (const link of links) sizeBytes += link.sizeBytes
  return whenReady(hash(block), (digest) => {
    const cid = createSha256Cid(profile.cidVersion, dagPbCode, digest)
    return whenReady(sink.put(cid, block), () => ({ cid: cid.bytes, name: noName, sizeBytes }))
  })
}
