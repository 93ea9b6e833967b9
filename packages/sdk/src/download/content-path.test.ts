import { maxCidCharacters } from '@cairn/unixfs'
import { base16 } from 'multiformats/bases/base16'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import { createClient } from '../client.ts'
import { verifyStorage } from '../proofs/verify-storage.ts'
import { isContentPath, parseContentPath } from './content-path.ts'

const identity = 0x00

function identityCid(length: number): CID {
  return CID.createV1(0x55, createDigest(identity, new Uint8Array(length).fill(7)))
}

test('parses a CID of the maximum length, and rejects a longer text before the slow parser', async () => {
  const longest = identityCid(128)
  expect(parseContentPath(`/ipfs/${longest.toString(base16)}/a`).root.toString()).toBe(longest.toString())
  // A port that refuses all connections.
  const url = 'http://127.0.0.1:1'
  const client = createClient({ network: { name: 't', api: url, upload: url, gateway: url } })
  for (const base of [base16, base58btc]) {
    const text = identityCid(300).toString(base)
    expect(text.length).toBeGreaterThan(maxCidCharacters)
    expect(() => parseContentPath(`/ipfs/${text}/a`)).toThrow(expect.objectContaining({ code: 'INVALID_CID' }))
    expect(isContentPath(text)).toBe(false)
    await expect(verifyStorage(client, text)).rejects.toMatchObject({ code: 'INVALID_CID' })
  }
})

test('does not limit the path below a CID', () => {
  const segment = 'a'.repeat(maxCidCharacters + 1)
  expect(parseContentPath(`${identityCid(4)}/${segment}`).segments).toEqual([segment])
})
