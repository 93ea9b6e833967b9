import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import { codeOf } from '../../../../tests/code-of.ts'
import { countCborValues, countJsonValues } from './count-values.ts'
import { encodeNode } from './encode-node.ts'

const text = 'x, "y": [z] \\\\" {'
const values: [unknown, number][] = [
  [1, 1],
  [[], 1],
  [[1, 2, [3]], 5],
  [{ a: 1, [text]: [text, null, true, 1.5] }, 9],
  ['x'.repeat(70_000), 1],
  [[300, 70_000, -1, 2 ** 40, 'y'.repeat(300), 'z'.repeat(30)], 7],
]

test('counts values and names, and not what looks like some in a text', () => {
  for (const [value, count] of values) {
    const cbor = dagCbor.encode(value)
    expect(countCborValues(cbor, 100)).toBe(count)
    expect(countCborValues(cbor, 3)).toBe(Math.min(3, count))
    for (let end = 0; end < Math.min(50, cbor.length); end++) countCborValues(cbor.subarray(0, end), 100)
    // Each comma, colon and bracket, although nothing may follow a bracket.
    expect(countJsonValues(dagJson.encode(value), 100)).toBe(Array.isArray(value) && value.length === 0 ? 2 : count)
  }
  expect(countCborValues(Uint8Array.of(0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0), 100)).toBe(1)
  expect(countJsonValues(Buffer.from('["never ends'), 100)).toBe(2)
})

test('a node of very many values is not converted: it would take seconds', async () => {
  const digest = create(0x12, new Uint8Array(32))
  const list = (count: number) => new Array<number>(count).fill(0)
  for (const { code, encode } of [dagCbor, dagJson]) {
    const cid = CID.createV1(code, digest)
    const convert = async (count: number) => encodeNode(cid, encode(list(count)), [], 'dag-json')
    expect((await convert(99_000)).length).toBe(2 * 99_000 + 1)
    expect(await codeOf(convert(100_000))).toBe('NOT_SUPPORTED')
  }
})
