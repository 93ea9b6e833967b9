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

test('a listing in one line has a maximum', async () => {
  expect(await codeOf(collectLinks(list(65_537)))).toBe('NOT_SUPPORTED')
  expect(await collectLinks(list(5), undefined, 5)).toHaveLength(5)
  expect(await codeOf(collectLinks(list(6), undefined, 5))).toBe('NOT_SUPPORTED')
})
