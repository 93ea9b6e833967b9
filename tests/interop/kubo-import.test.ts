import { type ImportProfile, importProfiles } from '@cairn/unixfs'
import fc from 'fast-check'
import { create } from 'kubo-rpc-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type FileTree,
  fileTrees,
  importFile,
  importTree,
  patternedBytes,
  wideFolders,
  writeTree,
} from './file-tree.ts'
import { type Kubo, startKubo } from './kubo.ts'
import type { KuboOptions } from './kubo-repo.ts'

/** Each of our profiles, and the equivalent options of Kubo. */
const ways: { profile: ImportProfile; options: KuboOptions; addArgs: string[] }[] = [
  { profile: importProfiles.v0, options: {}, addArgs: [] },
  { profile: importProfiles.v0, options: { profiles: ['unixfs-v0-2015'] }, addArgs: [] },
  { profile: importProfiles.v1, options: {}, addArgs: ['--cid-version=1'] },
  { profile: importProfiles['unixfs-v1-2025'], options: { profiles: ['unixfs-v1-2025'] }, addArgs: [] },
]

async function addFile(kubo: Kubo, args: readonly string[], pieces: Iterable<Uint8Array>): Promise<string> {
  return (await kubo.run(['add', '--quieter', '--only-hash', ...args], pieces)).toString().trim()
}

async function addTree(kubo: Kubo, args: readonly string[], tree: FileTree): Promise<string> {
  await using written = await writeTree(tree)
  return (await kubo.run(['add', '--quieter', '--recursive', '--hidden', ...args, written.folder])).toString().trim()
}

describe.each(ways)('$profile.name as Kubo with $options $addArgs', ({ profile, options, addArgs }) => {
  let kubo: Kubo
  beforeAll(async () => {
    kubo = await startKubo(options)
  })
  afterAll(() => kubo?.[Symbol.asyncDispose]())

  const { chunkSizeBytes, maxLinks } = profile
  const borders = [0, 1, chunkSizeBytes - 1, chunkSizeBytes, chunkSizeBytes + 1, 2 * chunkSizeBytes, 5_000_000]
  it.each([...borders, maxLinks * chunkSizeBytes, maxLinks * chunkSizeBytes + 1])(
    'a file of %i bytes',
    async (size) => {
      const ours = await importFile(patternedBytes(size, 7), profile)
      expect(ours.cid.toString()).toBe(await addFile(kubo, addArgs, patternedBytes(size, 7)))
      expect(ours.fileSizeBytes).toBe(size)
    },
  )

  it('sizes of whole DAGs', async () => {
    const client = create({ url: kubo.apiUrl })
    for (const size of [0, 1, chunkSizeBytes, 3 * chunkSizeBytes + 1]) {
      const bytes = Buffer.concat([...patternedBytes(size, 9)])
      const ours = await importFile([bytes], profile)
      const theirs = await client.add(bytes, { onlyHash: true, ...(addArgs.length > 0 ? { cidVersion: 1 } : {}) })
      expect({ cid: ours.cid.toString(), size: ours.dagSizeBytes }).toEqual({
        cid: theirs.cid.toString(),
        size: theirs.size,
      })
    }
  })

  it('a folder of odd names, empty folders, links and files', async () => {
    const tree: FileTree = new Map<string, FileTree | Uint8Array | string>([
      ['ü.txt', Buffer.from('grüße')],
      ['a b+c%20.txt', Buffer.from('space')],
      ['.hidden', Buffer.from('hidden')],
      ['Z', new Map([['two.bin', Buffer.concat([...patternedBytes(chunkSizeBytes + 1, 3)])]])],
      ['empty', new Map()],
      ['link', 'Z/two.bin'],
      ['a', Buffer.from('lower after upper')],
    ])
    expect((await importTree(tree, profile)).cid.toString()).toBe(await addTree(kubo, addArgs, tree))
  })

  it('folders just at and just beyond the size at which they become a HAMT', async () => {
    for (const excess of [0, 1]) {
      const tree = folderOfMeasure(profile, profile.hamtThresholdBytes + excess)
      let blocks = 0
      const ours = await importTree(tree, profile, { put: () => void blocks++ })
      // Beside the files: one block when flat, many shards otherwise.
      expect(blocks - tree.size > 1).toBe(excess === 1)
      expect(ours.cid.toString()).toBe(await addTree(kubo, addArgs, tree))
      const data = await kubo.run(['cat', '--', `${ours.cid}/${[...tree.keys()].at(-1)}`])
      expect(data.toString()).toBe('x')
    }
  })

  it('random trees', async () => {
    await fc.assert(
      fc.asyncProperty(fileTrees(12, 2000), async (tree) => {
        expect((await importTree(tree, profile)).cid.toString()).toBe(await addTree(kubo, addArgs, tree))
      }),
      { numRuns: 40 },
    )
  })
})

describe('odd settings', () => {
  let kubo: Kubo
  beforeAll(async () => {
    kubo = await startKubo()
  })
  afterAll(() => kubo?.[Symbol.asyncDispose]())

  it('files of any size over any small chunk size and number of links', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 2, max: 9 }),
        fc.integer({ min: 0, max: 20_000 }),
        fc.constantFrom(0 as const, 1 as const),
        async (chunkSizeBytes, maxLinks, size, cidVersion) => {
          const base = cidVersion === 0 ? importProfiles.v0 : importProfiles.v1
          const ours = await importFile(patternedBytes(size, 11, 777), { ...base, chunkSizeBytes, maxLinks })
          const args = [
            `--cid-version=${cidVersion}`,
            `--chunker=size-${chunkSizeBytes}`,
            `--max-file-links=${maxLinks}`,
          ]
          expect(ours.cid.toString()).toBe(await addFile(kubo, args, patternedBytes(size, 11, 777)))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('v1 with wrapped leaves', async () => {
    for (const size of [0, 1, 262_145]) {
      const ours = await importFile(patternedBytes(size, 5), { ...importProfiles.v1, rawLeaves: false })
      expect(ours.cid.toString()).toBe(
        await addFile(kubo, ['--cid-version=1', '--raw-leaves=false'], patternedBytes(size, 5)),
      )
    }
  })
})

describe.each([
  { base: importProfiles.v0, profiles: [] },
  { base: importProfiles['unixfs-v1-2025'], profiles: ['unixfs-v1-2025'] },
])('HAMT folders of $base.name, with the threshold lowered', ({ base, profiles }) => {
  const profile: ImportProfile = { ...base, hamtThresholdBytes: 1024 }
  let kubo: Kubo
  beforeAll(async () => {
    kubo = await startKubo({ profiles, config: { Import: { UnixFSHAMTDirectorySizeThreshold: '1024B' } } })
  })
  afterAll(() => kubo?.[Symbol.asyncDispose]())

  it('random folders of up to 600 entries', async () => {
    await fc.assert(
      fc.asyncProperty(wideFolders(600), async (tree) => {
        expect((await importTree(tree, profile)).cid.toString()).toBe(await addTree(kubo, [], tree))
      }),
      { numRuns: 30 },
    )
  })
})

/** A folder of files named with "x" whose size, as measured by the profile, is exactly `measure`. */
function folderOfMeasure(profile: ImportProfile, measure: number): FileTree {
  const tree: FileTree = new Map()
  const cidBytes = profile.cidVersion === 0 ? 34 : 36
  // For a link: the CID, the size 1 and the name with their tags and lengths. For the node: the field that marks a
  // folder.
  const linkOverhead = profile.hamtMeasure === 'block' ? 2 + cidBytes + 2 + 2 + 2 : cidBytes
  // Short enough for one-byte lengths, also in the last name, which fills the rest.
  const nameBytes = 20
  let left = measure - (profile.hamtMeasure === 'block' ? 4 : 0)
  for (let index = 0; left > 0; index++) {
    const isLast = left < 2 * (linkOverhead + nameBytes)
    const length = isLast ? left - linkOverhead : nameBytes
    tree.set(String(index).padStart(length, 'n'), Buffer.from('x'))
    left -= linkOverhead + length
  }
  return tree
}
