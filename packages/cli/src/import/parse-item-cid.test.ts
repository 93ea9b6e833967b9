import { expect, test } from 'vitest'
import { parseItemCid } from './parse-item-cid.ts'

const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

test('parses a CID as lists write it', () => {
  for (const text of [cid, ` ipfs://${cid} `, `https://gateway.example/ipfs/${cid}/`, `/ipfs/${cid}?`])
    expect(parseItemCid(text).toString()).toBe(cid)
  expect(() => parseItemCid(`${cid}/a.txt`)).toThrow('is not a CID')
})

test('rejects a text longer than a CID without parsing it, which would take minutes', () => {
  for (const prefix of ['z', 'k', 'Qm'])
    expect(() => parseItemCid(prefix + '2'.repeat(200_000))).toThrow('is not a CID')
})

test('rejects a long row of slashes in a list of a service', () => {
  // If each slash were the start of the end, this would take hours.
  expect(() => parseItemCid(`${'/'.repeat(1_000_000)}x`)).toThrow('is not a CID')
})
