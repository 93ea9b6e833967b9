import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { createIdentityCid, createMemoryBlocks, patternOf, promisedSha256, sha256 } from '../memory-blocks.suite.ts'
import { verifyBlock } from './verify.ts'

const bytes = patternOf(100)
const cid = createMemoryBlocks().add(0x55, bytes)

describe('verifying a block', () => {
  it('accepts the bytes a CID names, synchronously or as a promise, of either version', async () => {
    expect(verifyBlock(cid, bytes, sha256)).toBeUndefined()
    await expect(verifyBlock(cid, bytes, promisedSha256)).resolves.toBeUndefined()
    const v0 = CID.createV0(CID.createV1(0x70, cid.multihash).toV0().multihash)
    expect(verifyBlock(v0, bytes, sha256)).toBeUndefined()
  })

  it('rejects any other bytes', async () => {
    for (const other of [patternOf(100, 2), patternOf(99), new Uint8Array(0)]) {
      expect(() => verifyBlock(cid, other, sha256)).toThrow(expect.objectContaining({ code: 'HASH_MISMATCH' }))
      await expect(verifyBlock(cid, other, promisedSha256)).rejects.toMatchObject({ code: 'HASH_MISMATCH' })
    }
  })

  it('compares identity CIDs themselves, up to 128 bytes', () => {
    const inlined = createIdentityCid(0x55, patternOf(128))
    expect(verifyBlock(inlined, patternOf(128), sha256)).toBeUndefined()
    for (const other of [patternOf(127), patternOf(129)]) {
      expect(() => verifyBlock(inlined, other, sha256)).toThrow(expect.objectContaining({ code: 'HASH_MISMATCH' }))
    }
    const large = createIdentityCid(0x55, patternOf(129))
    expect(() => verifyBlock(large, patternOf(129), sha256)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
  })
})
