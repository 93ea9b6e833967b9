import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import { codeOf } from '../../../../tests/code-of.ts'
import { countTurns } from '../resources/count-turns.fixture.ts'
import { collectLinks, listLinks, toListed, writeListing } from './list-links.ts'

const cid = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')

/** Lists a node whose links are immediately available, like those of blocks that were read ahead. */
function list(count: number) {
  const links = Array.from({ length: count }, (_, at) => ({ name: `file ${count - at}`, cid, sizeBytes: 1 }))
  const node = { kind: 'other' as const, links }
  const source = { get: () => Promise.reject(new Error('links to raw blocks need none')) }
  return listLinks(source, toListed(cid, node), { readsEntries: true })
}

test('a long listing lets other work run, and is sorted by name', async () => {
  const { result: links, turns } = await countTurns(() => collectLinks(list(10_000)))
  // 19 while it is collected, 20 while its runs of 500 are sorted, and more while these are merged.
  expect(turns).toBeGreaterThanOrEqual(100)
  const names = links.map(({ Name }) => Name)
  expect(names).toEqual(names.toSorted())
})

test('writes a listing in one line in pieces', async () => {
  const objects = [
    { Hash: 'a "name"', Links: await collectLinks(list(1201)) },
    { Hash: 'b', Links: [] },
    { Hash: 'c', Links: await collectLinks(list(1)) },
  ]
  const { result: pieces, turns } = await countTurns(() => Array.fromAsync(writeListing(objects)))
  expect(turns).toBeGreaterThanOrEqual(4)
  expect(pieces.join('')).toBe(`${JSON.stringify({ Objects: objects })}\n`)
})

test('a listing in one line has a maximum, over all its paths', async () => {
  expect(await codeOf(collectLinks(list(65_537)))).toBe('NOT_SUPPORTED')
  const space = { entries: 8, characters: 1000 }
  expect(await collectLinks(list(5), undefined, space)).toHaveLength(5)
  expect(await codeOf(collectLinks(list(4), undefined, space))).toBe('NOT_SUPPORTED')
})

test('a listing in one line has little memory, however long the target is that all its links share', async () => {
  const target = Buffer.alloc(1_000_000, 't')
  // UnixFS: a symbolic link, and its target of a million bytes.
  const data = Buffer.concat([Uint8Array.of(0x08, 0x04, 0x12, 0xc0, 0x84, 0x3d), target])
  const block = Buffer.concat([Uint8Array.of(0x0a, 0xc6, 0x84, 0x3d), data])
  const link = CID.createV1(0x70, cid.multihash)
  const links = Array.from({ length: 65_000 }, (_, at) => ({ name: `${at}`, cid: link, sizeBytes: 1 }))
  let reads = 0
  const source = {
    get: async () => {
      reads++
      return block
    },
  }
  const listed = listLinks(source, toListed(link, { kind: 'other', links }), { readsEntries: true })
  expect(await codeOf(collectLinks(listed))).toBe('NOT_SUPPORTED')
  expect(reads).toBe(34)
})
