import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import type { DagLink } from './dag-pb.ts'
import { packLinks } from './link-list.ts'

const cid = CID.parse('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH')

test('packed links are the same, whatever their names and sizes', () => {
  const names = ['', 'a', '\ufeffmark', 'Größe.txt', '日本', '😀', '\u0000', '', 'last']
  const links: DagLink[] = names.map((name, at) => ({
    cid: at % 2 === 0 ? cid : cid.toV1(),
    name,
    ...(at % 3 === 0 ? {} : { sizeBytes: 10 ** at }),
  }))
  const packed = packLinks(links)
  // More than once, each time from the start.
  for (let count = 0; count < 2; count++) {
    const unpacked = [...packed]
    expect(unpacked.map((link) => ({ ...link, cid: `${link.cid}` }))).toEqual(
      links.map((link) => ({ ...link, cid: `${link.cid}` })),
    )
    expect(unpacked[0]?.cid).not.toBe(cid)
  }
  expect([...packLinks([])]).toEqual([])
})
