import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import { packCids } from './cid-list.ts'

const version0 = CID.parse('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH')
const identity = CID.createV1(0x55, createDigest(0, Uint8Array.of(1, 2, 3)))
const cids = [version0, version0.toV1(), identity, CID.createV1(0x10055, version0.multihash), version0]

test('a packed list has the same CIDs, of any version, codec and length', () => {
  const list = packCids(cids)
  expect(list.length).toBe(cids.length)
  expect(list.slice(0, 10).map(String)).toEqual(cids.map(String))
  expect(list.slice(1, 3).map(String)).toEqual(cids.slice(1, 3).map(String))
  expect(list.slice(5, 6)).toEqual([])
  expect(packCids([]).slice(0, 1)).toEqual([])
})

test('a packed list finds a CID between two positions', () => {
  const list = packCids(cids)
  for (const [at, cid] of cids.entries()) expect(list.indexOf(cid, at, at + 1)).toBe(at)
  expect(list.indexOf(version0, 1, 10)).toBe(4)
  expect(list.indexOf(version0, 1, 4)).toBe(-1)
  expect(list.indexOf(identity, 3, 10)).toBe(-1)
})
