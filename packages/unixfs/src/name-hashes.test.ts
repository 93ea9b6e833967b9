import { expect, test } from 'vitest'
import { createDirectoryTree } from './directory-tree.ts'
import { listDirectory } from './list-directory.ts'
import { createMemoryBlocks, importBytes, patternOf, sha256 } from './memory-blocks.suite.ts'
import { sortAsWalked } from './name-hashes.ts'
import { type ImportProfile, importProfiles } from './profiles.ts'
import { statNode } from './stat-node.ts'

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
