import { createHash } from 'node:crypto'
import * as dagCbor from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import { createDagIndex } from './dag-index.ts'

const raw = 0x55

function cidOf(code: number, bytes: Uint8Array): CID {
  return CID.createV1(code, createDigest(0x12, createHash('sha256').update(bytes).digest()))
}

test.each([raw + 0x10000, raw + 0x110000])(
  'a link with codec %i does not link to the raw block of the same hash',
  (code) => {
    const leaf = Uint8Array.of(1, 2, 3)
    const wanted = cidOf(code, leaf)
    const bytes = dagCbor.encode({ wanted })
    const root = cidOf(dagCbor.code, bytes)
    const index = createDagIndex(() => undefined)
    index.addLeaf(cidOf(raw, leaf), leaf.length)
    index.add(root, bytes)
    expect([...index.missing([root])].map(String)).toEqual([wanted.toString()])
  },
)
