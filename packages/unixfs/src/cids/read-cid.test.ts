import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import { readCid, readWholeCid } from './read-cid.ts'

const sha256 = create(
  0x12,
  Uint8Array.from({ length: 32 }, (_byte, at) => at),
)
const cids = [
  CID.createV0(sha256),
  ...[0x55, 0x70, 0x71, 0x7f, 0x80, 0x0129].map((codec) => CID.createV1(codec, sha256)),
  CID.createV1(0x55, create(0x12, new Uint8Array(20))),
  CID.createV1(0x55, create(0x13, new Uint8Array(64))),
  CID.createV1(0x55, create(0, new Uint8Array(3))),
]

test.each(cids)('reads %s like the library, from the start of any bytes', (cid) => {
  const block = new Uint8Array(1000)
  block.set(cid.bytes, 10)
  const { cid: read, length } = readCid(block.subarray(10), 'BAD_BLOCK')
  expect(length).toBe(cid.bytes.length)
  expect(read.equals(cid)).toBe(true)
  expect([read.version, read.code, `${read}`]).toEqual([cid.version, cid.code, `${cid}`])
  for (const part of ['bytes', 'digest'] as const) expect([...read.multihash[part]]).toEqual([...cid.multihash[part]])
  // Keeping the CID does not keep the block.
  expect(read.bytes.buffer.byteLength).toBeLessThan(200)
  expect(`${readWholeCid(cid.bytes, 'BAD_BLOCK')}`).toBe(`${cid}`)
  for (let end = 0; end < cid.bytes.length; end++) {
    expect(() => readCid(cid.bytes.subarray(0, end), 'BAD_BLOCK')).toThrow('Not a CID')
  }
  expect(() => readWholeCid(block.subarray(10, 11 + length), 'BAD_BLOCK')).toThrow('Not a CID')
})
