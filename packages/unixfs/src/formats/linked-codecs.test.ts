import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import fc from 'fast-check'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { createMemoryBlocks, patternOf } from '../memory-blocks.suite.ts'
import { UnixfsError } from '../unixfs-error.ts'
import { findCborLinks, findJsonLinks } from './linked-codecs.ts'

const cids = [1, 2, 3].map((seed) => createMemoryBlocks().add(0x55, patternOf(5, seed)))
const [cid = CID.parse('bafkqaaa')] = cids

const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...cids),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
    fc.string().filter((text) => text.isWellFormed()),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array(),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(
      fc.string({ minLength: 1 }).filter((key) => key !== '/' && key !== '__proto__'),
      tie('value'),
      { maxKeys: 5 },
    ),
  ),
}))

function linksOf(value: unknown): string[] {
  if (value instanceof CID) return [String(value)]
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(linksOf)
}

describe('links of other codecs', () => {
  it('are all found in DAG-CBOR', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const found = findCborLinks(dagCbor.encode(value)).map((link) => String(link.cid))
        expect(found.sort()).toEqual(linksOf(value).sort())
      }),
      { numRuns: 500 },
    )
  })

  it('are all found in DAG-JSON', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const found = findJsonLinks(dagJson.encode(value)).map((link) => String(link.cid))
        expect(found.sort()).toEqual(linksOf(value).sort())
      }),
      { numRuns: 500 },
    )
  })

  it('are found or the block is rejected with BAD_BLOCK, whatever byte is changed', () => {
    const block = dagCbor.encode({ a: [cid, 1, 'text'], b: { c: cid } })
    const json = dagJson.encode({ a: [cid, 1, 'text'], b: { c: cid } })
    fc.assert(
      fc.property(fc.nat(), fc.nat(255), fc.uint8Array({ maxLength: 80 }), (place, value, noise) => {
        for (const [bytes, find] of [
          [block, findCborLinks],
          [json, findJsonLinks],
        ] as const) {
          const changed = Uint8Array.from(bytes)
          changed[place % changed.length] = value
          for (const input of [changed, noise]) {
            try {
              find(input)
            } catch (error) {
              if (!UnixfsError.is(error, 'BAD_BLOCK')) throw error
            }
          }
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('are no longer than a CID in DAG-JSON, because long ones take hours to decode', () => {
    const identityOf = (sizeBytes: number) => CID.createV1(0x55, createDigest(0, patternOf(sizeBytes)))
    const blockOf = (link: CID) => Buffer.from(JSON.stringify({ a: { '/': link.toString(base58btc) } }))
    const longest = identityOf(128)
    expect(findJsonLinks(blockOf(longest)).map((link) => String(link.cid))).toEqual([String(longest)])
    expect(() => findJsonLinks(blockOf(identityOf(220)))).toThrow(expect.objectContaining({ code: 'BAD_BLOCK' }))
  })

  it('use no stack in deep nesting, and no memory for false lengths', () => {
    expect(findCborLinks(new Uint8Array(2_000_000).fill(0x81).with(1_999_999, 0x80))).toEqual([])
    const deepJson = `${'['.repeat(500_000)}${']'.repeat(500_000)}`
    expect(() => findJsonLinks(Buffer.from(deepJson))).not.toThrow(RangeError)
    const bad = [
      Uint8Array.of(0x9b, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
      Uint8Array.of(0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
      Uint8Array.of(0x9f, 0xff),
      Uint8Array.of(0xd8, 0x2b, 0x41, 0),
      Uint8Array.of(0xd8, 0x2a, 0x42, 1, 1),
      Uint8Array.of(0x18, 5),
      Uint8Array.of(0xf9, 0, 0),
      Uint8Array.of(1, 1),
      Uint8Array.of(),
    ]
    for (const bytes of bad) expect(() => findCborLinks(bytes)).toThrow(expect.objectContaining({ code: 'BAD_BLOCK' }))
  })
})
