import { expect, test } from 'vitest'
import { canonicalCid } from './canonical-cid.ts'

const canonical = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

test('returns version 1 in base32 for each form of a CID', () => {
  for (const form of [canonical, canonical.toUpperCase()]) expect(canonicalCid(form)).toBe(canonical)
  const hex = 'f01551220b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9'
  expect(canonicalCid(hex)).toBe(canonical)
  expect(canonicalCid(hex.toUpperCase())).toBe(canonical)
  expect(canonicalCid('QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG')).toMatch(/^bafybei/)
})

test('refuses a text that is longer than a CID without parsing it, which would take minutes', () => {
  for (const prefix of ['z', 'k', 'Qm']) {
    expect(() => canonicalCid(prefix + '2'.repeat(200_000))).toThrow(expect.objectContaining({ code: 'INVALID_CID' }))
  }
})
