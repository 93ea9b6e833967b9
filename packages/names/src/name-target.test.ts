import { maxNameValueCharacters } from '@cairn/protocol'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import { isCidText } from './name-target.ts'

test('recognises a CID, and rejects a text longer than any value of a name before the slow parser', () => {
  const identityCid = (length: number) =>
    CID.createV1(0x55, createDigest(0x00, new Uint8Array(length))).toString(base58btc)
  expect(isCidText(identityCid(4))).toBe(true)
  const long = identityCid(2000)
  expect(long.length).toBeGreaterThan(maxNameValueCharacters)
  expect(isCidText(long)).toBe(false)
})
