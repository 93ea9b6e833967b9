import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import { codeOf } from '../../../../tests/code-of.ts'
import { countTurns } from '../count-turns.fixture.ts'
import { collectLinks, listLinks } from './list-links.ts'

const cid = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')

/** Lists a node whose links are at hand at once, as those of blocks that were read ahead. */
function list(count: number) {
  const links = Array.from({ length: count }, (_, at) => ({ name: `file ${count - at}`, cid, sizeBytes: 1 }))
  const node = { kind: 'other' as const, links }
  const source = { get: () => Promise.reject(new Error('links to raw blocks need none')) }
  return listLinks(source, { cid, node }, { readsEntries: true })
}

test('a long listing lets other work run, and is in the order of names', async () => {
  const { result: links, turns } = await countTurns(() => collectLinks(list(10_000)))
  expect(turns).toBeGreaterThanOrEqual(19)
  const names = links.map(({ Name }) => Name)
  expect(names).toEqual(names.toSorted())
})

test('a listing in one line has a maximum', async () => {
  expect(await codeOf(collectLinks(list(65_537)))).toBe('NOT_SUPPORTED')
})
