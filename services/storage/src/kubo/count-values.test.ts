import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import { codeOf } from '../../../../tests/code-of.ts'
import { countCborValues, countJsonValues, countPbValues } from './count-values.ts'
import { encodeNode, transcode } from './encode-node.ts'

const text = 'x, "y": [z] \\\\" {'
const values: [unknown, number][] = [
  [1, 1],
  [[], 1],
  [[1, 2, [3]], 5],
  [{ a: 1, [text]: [text, null, true, 1.5] }, 9],
  ['x'.repeat(70_000), 1],
  [[300, 70_000, -1, 2 ** 40, 'y'.repeat(300), 'z'.repeat(30)], 7],
]

test('counts values and names, and not look-alikes in a text', () => {
  for (const [value, count] of values) {
    const cbor = dagCbor.encode(value)
    expect(countCborValues(cbor, 100)).toBe(count)
    expect(countCborValues(cbor, 3)).toBe(Math.min(3, count))
    for (let end = 0; end < Math.min(50, cbor.length); end++) countCborValues(cbor.subarray(0, end), 100)
    // Each comma, colon and bracket counts, although nothing may follow a bracket.
    expect(countJsonValues(dagJson.encode(value), 100)).toBe(Array.isArray(value) && value.length === 0 ? 2 : count)
  }
  expect(countCborValues(Uint8Array.of(0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0), 100)).toBe(1)
  expect(countJsonValues(Buffer.from('["never ends'), 100)).toBe(2)
})

test('does not convert a node with too many values, which would take seconds', async () => {
  const digest = create(0x12, new Uint8Array(32))
  const list = (count: number) => new Array<number>(count).fill(0)
  for (const [codec, { code, encode }] of [
    ['dag-cbor', dagCbor],
    ['dag-json', dagJson],
  ] as const) {
    const cid = CID.createV1(code, digest)
    const convert = async (count: number) => encodeNode(cid, encode(list(count)), [], 'dag-json')
    expect((await convert(99_000)).length).toBe(2 * 99_000 + 1)
    expect(await codeOf(convert(100_000))).toBe('NOT_SUPPORTED')
    const store = async (count: number) => transcode(encode(list(count)), codec, 'dag-cbor')
    expect((await store(99_000)).length).toBeGreaterThan(99_000)
    expect(await codeOf(store(100_000))).toBe('NOT_SUPPORTED')
  }
})

test('a link counts as ten values, because its CID is written as text', async () => {
  const cid = CID.createV1(0x55, create(0x12, new Uint8Array(32)))
  const links = (count: number) => new Array<CID>(count).fill(cid)
  // Its bytes or its text are separate values.
  expect(countCborValues(dagCbor.encode(links(3)), 100)).toBe(1 + 3 * 11)
  expect(countJsonValues(dagJson.encode(links(3)), 100)).toBe(1 + 3 * 13)
  const folder = (count: number) =>
    dagPb.encode({ Links: links(count).map((Hash) => ({ Hash, Name: 'a', Tsize: 300 })), Data: new Uint8Array(500) })
  expect(countPbValues(folder(3), 100)).toBe(30)
  expect(countPbValues(folder(3), 20)).toBe(20)
  for (let end = 0; end < 200; end++) countPbValues(folder(3).subarray(0, end), 100)
  const convert = async (count: number) =>
    encodeNode(CID.createV1(0x70, cid.multihash), folder(count), [], 'dag-json').length
  expect(await convert(10_000)).toBeGreaterThan(500_000)
  expect(await codeOf(convert(10_001))).toBe('NOT_SUPPORTED')
})
