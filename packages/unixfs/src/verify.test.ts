import { hash as hashOnce } from 'node:crypto'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { createIdentityCid, createMemoryBlocks, patternOf, promisedSha256, sha256 } from './memory-blocks.suite.ts'
import { verifyBlock } from './verify.ts'

const bytes = patternOf(100)
const cid = createMemoryBlocks().add(0x55, bytes)
const sha512: CID = CID.createV1(0x55, Digest.create(0x13, hashOnce('sha512', bytes, 'buffer')))

describe('verifying a block', () => {
  it('accepts the bytes a CID names, at once or promised, of either version', async () => {
    expect(verifyBlock(cid, bytes, sha256)).toBeUndefined()
    await expect(verifyBlock(cid, bytes, promisedSha256)).resolves.toBeUndefined()
    const v0 = CID.createV0(CID.createV1(0x70, cid.multihash).toV0().multihash)
    expect(verifyBlock(v0, bytes, sha256)).toBeUndefined()
  })

  it('refuses any other bytes', async () => {
    for (const other of [patternOf(100, 2), patternOf(99), new Uint8Array(0)]) {
      expect(() => verifyBlock(cid, other, sha256)).toThrow(expect.objectContaining({ code: 'HASH_MISMATCH' }))
      await expect(verifyBlock(cid, other, promisedSha256)).rejects.toMatchObject({ code: 'HASH_MISMATCH' })
    }
  })

  it('refuses a digest that is only part of a hash', () => {
    for (const length of [0, 1, 20, 31]) {
      const short = CID.createV1(0x55, Digest.create(0x12, cid.multihash.digest.subarray(0, length)))
      expect(() => verifyBlock(short, bytes, sha256)).toThrow(expect.objectContaining({ code: 'HASH_MISMATCH' }))
    }
  })

  it('compares identity CIDs themselves, up to 128 bytes', () => {
    const inlined = createIdentityCid(0x55, patternOf(128))
    expect(verifyBlock(inlined, patternOf(128), sha256)).toBeUndefined()
    expect(() => verifyBlock(inlined, patternOf(127), sha256)).toThrow(
      expect.objectContaining({ code: 'HASH_MISMATCH' }),
    )
    const large = createIdentityCid(0x55, patternOf(129))
    expect(() => verifyBlock(large, patternOf(129), sha256)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
  })

  it('takes other hashes from a table and refuses those it lacks', () => {
    const table = { 18: sha256, 19: (input: Uint8Array) => hashOnce('sha512', input, 'buffer') }
    expect(verifyBlock(sha512, bytes, table)).toBeUndefined()
    expect(verifyBlock(cid, bytes, table)).toBeUndefined()
    expect(() => verifyBlock(sha512, patternOf(3), table)).toThrow(expect.objectContaining({ code: 'HASH_MISMATCH' }))
    for (const hashes of [sha256, { 18: sha256 }]) {
      expect(() => verifyBlock(sha512, bytes, hashes)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }))
    }
  })
})
