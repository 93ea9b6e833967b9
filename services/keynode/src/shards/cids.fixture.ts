import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { create } from 'multiformats/hashes/digest'

/** Returns a function that returns another CID with each call; the same ones in every run. */
export function createCids(subject: string): () => string {
  let count = 0
  return () => {
    const digest = createHash('sha256').update(`${subject} ${count++}`).digest()
    return CID.create(1, raw.code, create(0x12, digest)).toString()
  }
}
