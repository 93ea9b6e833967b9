import { expect, test, vi } from 'vitest'
import { createMemoryBlocks, importBytes, patternOf, sha256 } from '../memory-blocks.suite.ts'
import { listDirectory } from '../reading/list-directory.ts'
import { statNode } from '../reading/stat-node.ts'
import { createDirectoryTree } from '../writing/directory-tree.ts'
import { type ImportProfile, importProfiles } from '../writing/profiles.ts'
import { sortAsWalked, sortByHash } from './name-hashes.ts'

const profiles: readonly ImportProfile[] = [importProfiles.v1, importProfiles['unixfs-v1-2025']]

test.each(profiles)('entries are sorted in the order in which a folder of $name lists them', async (profile) => {
  for (const [count, kind] of [
    [300, 'directory'],
    [6_000, 'hamt'],
  ] as const) {
    const blocks = createMemoryBlocks()
    const file = await importBytes(patternOf(3), profile, blocks)
    const tree = createDirectoryTree({ profile, hash: sha256, sink: blocks })
    const names = Array.from({ length: count }, (_, at) => `${(at * 7919) % count}-é.txt`)
    for (const name of names) tree.addFile(name, file)
    const { cid } = (await tree.finish()).root
    expect((await statNode(blocks, cid)).kind).toBe(kind)
    const listed: string[] = []
    for await (const { name } of listDirectory(blocks, cid)) listed.push(name)
    expect(sortAsWalked(names.map((name) => ({ name }))).map(({ name }) => name)).toEqual(listed)
  }
})

test('sorts hashes with equal first halves, as of crafted names, in few steps', () => {
  const count = 3_000
  const hashes = new Uint8Array(count * 8)
  const view = new DataView(hashes.buffer)
  // Most share one first half, with second halves in descending order.
  for (let at = 0; at < count; at++) {
    view.setUint32(at * 8, at % 10 === 0 ? at : 0x9000_0000)
    view.setUint32(at * 8 + 4, count - at)
  }
  const reads = vi.spyOn(DataView.prototype, 'getUint32')
  const sorted = sortByHash(hashes)
  expect(reads.mock.calls.length).toBeLessThan(10 * count)
  reads.mockRestore()
  const expected = Array.from({ length: count }, (_, at) => at).toSorted((a, b) =>
    Number(view.getBigUint64(a * 8) - view.getBigUint64(b * 8)),
  )
  expect(Array.from(sorted)).toEqual(expected)
})
