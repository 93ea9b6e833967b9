import * as reference from '@ipld/dag-pb'
import fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { createMemoryBlocks, patternOf } from '../memory-blocks.suite.ts'
import { UnixfsError } from '../unixfs-error.ts'
import { dataFieldLength, decodeDagPb, encodeDagPb, linkLength } from './dag-pb.ts'
import { decodeUnixfsData, encodeFileData, encodeHamtData } from './unixfs-data.ts'

const cids = [0, 1, 2].map((seed) => createMemoryBlocks().add(0x55, patternOf(10, seed)))
const [cid = CID.parse('bafkqaaa')] = cids
const utf8 = new TextEncoder()

const anyLinks = fc.array(
  fc.record({
    cid: fc.constantFrom(...cids),
    name: fc.string({ unit: 'grapheme', maxLength: 200 }).filter((name) => name.isWellFormed()),
    sizeBytes: fc.oneof(fc.nat(), fc.maxSafeNat()),
  }),
  { maxLength: 20 },
)

describe('dag-pb', () => {
  it('is written as @ipld/dag-pb writes it, in the predicted length', () => {
    fc.assert(
      fc.property(anyLinks, fc.uint8Array({ maxLength: 300 }), (links, data) => {
        const ours = encodeDagPb(
          links.map(({ cid, name, sizeBytes }) => ({ cid: cid.bytes, name: utf8.encode(name), sizeBytes })),
          data,
        )
        const theirs = reference.prepare({
          Data: data,
          Links: links.map(({ cid, name, sizeBytes }) => ({ Hash: cid, Name: name, Tsize: sizeBytes })),
        })
        // The caller decides the order of links; the reference requires them sorted.
        const sorted = reference.encode(theirs)
        expect(ours.length).toBe(sorted.length)
        const expectedLength = links.reduce(
          (sum, link) => sum + linkLength(link.cid.bytes.length, utf8.encode(link.name).length, link.sizeBytes),
          dataFieldLength(data.length),
        )
        expect(ours.length).toBe(expectedLength)
        if (links.length < 2) expect(Buffer.from(ours).equals(sorted)).toBe(true)
        expect(decodeDagPb(sorted)).toEqual({
          data,
          links: theirs.Links.map(({ Hash, Name, Tsize }) => ({ cid: Hash, name: Name, sizeBytes: Tsize })),
        })
      }),
    )
  })

  it('is accepted and rejected as by @ipld/dag-pb, whatever byte is changed', () => {
    const links = cids.map((cid, index) => ({ cid: cid.bytes, name: utf8.encode(`n${index}`), sizeBytes: 300 * index }))
    const block = encodeDagPb(links, Uint8Array.of(8, 1))
    const change = fc.tuple(fc.nat(block.length - 1), fc.nat(255))
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), fc.nat(5), (changes, cut) => {
        const changed = block.slice(0, block.length - cut)
        for (const [at, value] of changes) changed[at] = value
        const theirs = attempt(() => reference.decode(changed))
        const ours = attempt(() => decodeDagPb(changed))
        // Ours is stricter about numbers of more than 64 bits and the hash of version 0.
        if (theirs === undefined) expect(ours).toBeUndefined()
        if (ours === undefined || theirs === undefined) return
        expect(ours.links.map((link) => String(link.cid))).toEqual(theirs.Links.map(({ Hash }) => String(Hash)))
        expect(ours.data).toEqual(theirs.Data)
      }),
      { numRuns: 3000 },
    )
  })

  it('is rejected if fields are interrupted, duplicate, out of order or unknown', () => {
    const link = encodeDagPb([{ cid: cid.bytes, name: utf8.encode('n'), sizeBytes: 1 }], new Uint8Array(0)).subarray(
      0,
      -2,
    )
    const data = Uint8Array.of(0x0a, 2, 8, 1)
    const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts))
    expect(decodeDagPb(join(data, link)).links).toHaveLength(1)
    expect(decodeDagPb(new Uint8Array(0))).toEqual({ links: [] })
    const bad = [
      join(link, data, link),
      join(data, data),
      join(link, Uint8Array.of(0x1a, 0)),
      join(Uint8Array.of(0x08, 1)),
      join(Uint8Array.of(0x12, 0)),
      join(Uint8Array.of(0x12, 4, 0x18, 1, 0x12, 0)),
      join(Uint8Array.of(0x12, 0xff, 0xff, 0xff, 0xff, 0x0f)),
      join(Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)),
    ]
    for (const bytes of bad) expect(() => decodeDagPb(bytes)).toThrow(expect.objectContaining({ code: 'BAD_BLOCK' }))
  })
})

describe('UnixFS data', () => {
  it('of files is written and read as by ipfs-unixfs', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 2 ** 40 }), { maxLength: 50 }), (blockSizes) => {
        const total = blockSizes.reduce((sum, size) => sum + size, 0)
        const ours = encodeFileData(total, blockSizes)
        const { blockSizes: read } = UnixFS.unmarshal(ours)
        expect(read.map(Number)).toEqual(blockSizes)
        expect(decodeUnixfsData(ours)).toEqual({ type: 2, fileSizeBytes: total, blockSizes })
        // ipfs-unixfs 13.1.1 encodes numbers from 2^31 up to 2^32 incorrectly (and decodes them correctly).
        if ([total, ...blockSizes].some((size) => size >= 2 ** 31 && size < 2 ** 32)) return
        const theirs = new UnixFS({ type: 'file', blockSizes: blockSizes.map(BigInt) }).marshal()
        expect(Buffer.from(ours).equals(theirs)).toBe(true)
      }),
    )
  })

  it('of files around 2^31 and 2^32 is plain protobuf', () => {
    const hex = (size: number) => Buffer.from(encodeFileData(size, [size])).toString('hex')
    expect(hex(2 ** 31 - 1)).toBe('080218ffffffff0720ffffffff07')
    expect(hex(2 ** 31)).toBe('0802188080808008208080808008')
    expect(hex(2 ** 32 - 1)).toBe('080218ffffffff0f20ffffffff0f')
    expect(hex(2 ** 32)).toBe('0802188080808010208080808010')
  })

  it('of shards is written as by ipfs-unixfs', () => {
    const data = patternOf(32)
    const theirs = new UnixFS({ type: 'hamt-sharded-directory', data, fanout: 256n, hashType: 0x22n }).marshal()
    expect(Buffer.from(encodeHamtData(data, 256)).equals(theirs)).toBe(true)
    const wide = { data: patternOf(128), fanout: 1024n, hashType: 0x22n }
    const widest = new UnixFS({ type: 'hamt-sharded-directory', ...wide }).marshal()
    expect(Buffer.from(encodeHamtData(wide.data, 1024)).equals(widest)).toBe(true)
  })

  it('keeps mode and time, before 1970 too', () => {
    fc.assert(
      fc.property(fc.nat(0o7777), fc.maxSafeInteger(), fc.nat(999_999_999), (mode, seconds, nanoseconds) => {
        const mtime = { secs: BigInt(seconds), nsecs: nanoseconds }
        const decoded = decodeUnixfsData(new UnixFS({ type: 'symlink', data: patternOf(3), mode, mtime }).marshal())
        expect(decoded.mtime).toEqual({ seconds, nanoseconds })
        if (decoded.mode !== undefined) expect(decoded.mode).toBe(mode)
      }),
    )
  })

  it('reads packed sizes and skips unknown fields', () => {
    expect(decodeUnixfsData(Uint8Array.of(8, 2, 0x22, 3, 1, 0x80, 1, 0x7a, 1, 9))).toEqual({
      type: 2,
      blockSizes: [1, 128],
    })
  })

  it('is read or rejected with BAD_BLOCK, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        attempt(() => decodeUnixfsData(bytes))
        attempt(() => decodeDagPb(bytes))
      }),
      { numRuns: 3000 },
    )
  })
})

function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch (error) {
    // Any other error of ours is a defect; the reference throws plain errors and RangeErrors.
    if (UnixfsError.is(error) && error.code !== 'BAD_BLOCK') throw error
    if (!UnixfsError.is(error) && error instanceof TypeError) throw error
    return undefined
  }
}
