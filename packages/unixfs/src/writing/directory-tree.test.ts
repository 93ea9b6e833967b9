import { MemoryBlockstore } from 'blockstore-core'
import fc from 'fast-check'
import { importer as importWithReference } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import { describe, expect, it } from 'vitest'
import { collect, createMemoryBlocks, importBytes, patternOf, promisedSha256, sha256 } from '../memory-blocks.suite.ts'
import { statNode } from '../reading/stat-node.ts'
import { verifyDag } from '../reading/verify-dag.ts'
import type { ImportedNode } from './block-sink.ts'
import { createDirectoryTree } from './directory-tree.ts'
import { type ImportProfile, importProfiles } from './profiles.ts'
import { importSymlink } from './symlink-importer.ts'

type Entries = Record<string, Uint8Array | null>

/** Every folder with its CID and size; `null` stands for an empty folder. */
async function importByReference(entries: Entries, profile: ImportProfile) {
  const candidates = Object.entries(entries).map(([path, content]) => (content === null ? { path } : { path, content }))
  const made = await collect(
    importWithReference(candidates, new MemoryBlockstore(), {
      cidVersion: profile.cidVersion,
      rawLeaves: profile.rawLeaves,
      chunker: fixedSize({ chunkSize: profile.chunkSizeBytes }),
      layout: balanced({ maxChildrenPerNode: profile.maxLinks }),
      wrapWithDirectory: true,
      shardSplitThresholdBytes: profile.hamtThresholdBytes,
      shardSplitStrategy: profile.hamtMeasure === 'block' ? 'block-bytes' : 'links-bytes',
    }),
  )
  const root = made.at(-1)
  return { cid: String(root?.cid), size: Number(root?.size) }
}

async function importHere(entries: Entries, profile: ImportProfile, hash = sha256) {
  const blocks = createMemoryBlocks()
  const tree = createDirectoryTree({ profile, hash, sink: blocks })
  for (const [path, content] of Object.entries(entries)) {
    if (content === null) tree.addDirectory(path)
    else tree.addFile(path, await importBytes(content, profile, blocks))
  }
  const { root, directories } = await tree.finish()
  const { blockCount } = await verifyDag(blocks, [root.cid])
  expect(blockCount).toBe(blocks.blocks.size)
  return { cid: String(root.cid), size: root.dagSizeBytes, directories }
}

const profiles: ImportProfile[] = Object.values(importProfiles)
const anyName = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((name) => !/[/\0]/.test(name) && name !== '.' && name !== '..' && name.trim() !== '' && name.isWellFormed())

describe('folders match those of the published importer', () => {
  it('flat or sharded, for any names and thresholds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...profiles),
        fc.uniqueArray(anyName, { maxLength: 120 }),
        fc.integer({ min: 4, max: 8000 }),
        fc.constantFrom(sha256, promisedSha256),
        async (base, names, hamtThresholdBytes, hash) => {
          const profile = { ...base, hamtThresholdBytes }
          const entries = Object.fromEntries(names.map((name, index) => [name, patternOf(index % 50, index)]))
          const { cid, size } = await importHere(entries, profile, hash)
          expect({ cid, size }).toEqual(await importByReference(entries, profile))
        },
      ),
      { numRuns: 150 },
    )
  })

  it('nested, with empty folders, in any order', async () => {
    const anyPath = fc.array(fc.constantFrom('a', 'b', 'é', 'Z'), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...profiles),
        fc.array(anyPath, { maxLength: 30 }),
        fc.array(anyPath, { maxLength: 5 }),
        async (profile, files, folders) => {
          const entries: Entries = Object.fromEntries(files.map((path) => [[...path, 'file'].join('/'), patternOf(3)]))
          for (const path of folders) {
            const isImplied = files.some((file) => `${file.join('/')}/`.startsWith(`${path.join('/')}/`))
            if (!isImplied) entries[path.join('/')] = null
          }
          const parentOfFolder = folders.some((a) =>
            folders.some((b) => b.length > a.length && b.join().startsWith(a.join())),
          )
          fc.pre(!parentOfFolder)
          const { cid, size } = await importHere(entries, profile)
          expect({ cid, size }).toEqual(await importByReference(entries, profile))
        },
      ),
      { numRuns: 150 },
    )
  })

  it('sharded inside one another, thousands of entries', async () => {
    for (const base of profiles) {
      const profile = { ...base, hamtThresholdBytes: 20_000 }
      const entries: Entries = { 'top.txt': patternOf(10) }
      for (let index = 0; index < 1500; index++) entries[`large/inner/file number ${index}.txt`] = patternOf(5, index)
      for (let index = 0; index < 1200; index++) entries[`large/${index}`] = patternOf(5, index)
      const { cid, size, directories } = await importHere(entries, profile)
      expect({ cid, size }).toEqual(await importByReference(entries, profile))
      expect(directories.map(({ path }) => path)).toEqual(['large/inner', 'large', ''])
    }
  })

  it('with symbolic links of any target', async () => {
    for (const profile of profiles) {
      const made = await collect(
        importWithReference([{ path: 'link', link: '../ü/target' }], new MemoryBlockstore(), {
          cidVersion: profile.cidVersion,
        }),
      )
      const blocks = createMemoryBlocks()
      const node = await importSymlink('../ü/target', { profile, hash: sha256, sink: blocks })
      expect(String(node.cid)).toBe(String(made[0]?.cid))
      expect(node.dagSizeBytes).toBe(Number(made[0]?.size))
    }
  })
})

describe('the threshold', () => {
  it('counts folders like files, and is exceeded only by the byte after it', async () => {
    const hamtThresholdBytes = 100 * (36 + 3)
    for (const [hamtMeasure, threshold] of [
      ['links', hamtThresholdBytes],
      // 2 + 38 bytes of hash, 2 + 3 of name, 2 of size, 2 around them; 4 of data.
      ['block', 4 + 100 * 47],
    ] as const) {
      const blocks = createMemoryBlocks()
      const kinds = await Promise.all(
        [threshold, threshold - 1].map(async (limit) => {
          const profile = { ...importProfiles.v1, hamtMeasure, hamtThresholdBytes: limit }
          const tree = createDirectoryTree({ profile, hash: sha256, sink: blocks })
          for (let index = 100; index < 200; index++) tree.addDirectory(`${index}`)
          return (await statNode(blocks, (await tree.finish()).root.cid)).kind
        }),
      )
      expect(kinds).toEqual(['directory', 'hamt'])
    }
  })
})

describe('the tree', () => {
  const options = { profile: importProfiles.v1, hash: sha256, sink: createMemoryBlocks() }
  const open = () => createDirectoryTree(options)
  const importFile = (): Promise<ImportedNode> => importBytes(patternOf(3), importProfiles.v1, options.sink)

  it('rejects a second entry of the same name, whatever both are', async () => {
    const file = await importFile()
    const tree = open()
    tree.addFile('a/b', file)
    tree.addDirectory('a')
    tree.addDirectory('a')
    for (const path of ['a/b', 'a', 'a/b/c']) {
      expect(() => tree.addFile(path, file)).toThrow(expect.objectContaining({ code: 'DUPLICATE_NAME' }))
    }
    expect(() => tree.addDirectory('a/b')).toThrow(expect.objectContaining({ code: 'DUPLICATE_NAME' }))
    expect((await tree.finish()).directories.map(({ path }) => path)).toEqual(['a', ''])
  })

  it('rejects names that no folder can contain', async () => {
    const file = await importFile()
    const bad = [
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '.',
      '..',
      'a/../b',
      './a',
      'a\0b',
      '\ud800',
      'x'.repeat(4097),
      'é'.repeat(2049),
    ]
    for (const path of bad) {
      expect(() => open().addFile(path, file), path).toThrow(expect.objectContaining({ code: 'BAD_NAME' }))
    }
    const good = ['...', 'a/..b', ' ', '%2e%2e', 'a\\b', 'x'.repeat(4096), '__proto__', 'constructor/toString']
    const tree = open()
    for (const path of good) tree.addFile(path, file)
    await tree.finish()
  })

  it('accepts depth up to its limit and rejects more', async () => {
    const file = await importFile()
    const deep = Array(128).fill('d').join('/')
    expect(() => open().addFile(`${deep}/d`, file)).toThrow(expect.objectContaining({ code: 'TOO_DEEP' }))
    const tree = open()
    tree.addFile(deep, file)
    expect((await tree.finish()).directories).toHaveLength(128)
  })

  it('omits the folder around a single entry on request', async () => {
    const wrapped = open()
    const bare = createDirectoryTree({ ...options, wrap: false })
    const file = await importFile()
    for (const tree of [wrapped, bare]) tree.addFile('folder/inner/file', file)
    const outer = await wrapped.finish()
    const inner = await bare.finish()
    expect(inner.directories.map(({ path }) => path)).toEqual(['folder/inner', 'folder'])
    expect(String(inner.root.cid)).toBe(String(outer.directories.find(({ path }) => path === 'folder')?.node.cid))

    const alone = createDirectoryTree({ ...options, wrap: false })
    alone.addFile('file', file)
    expect(await alone.finish()).toEqual({ root: file, directories: [] })

    const several = createDirectoryTree({ ...options, wrap: false })
    several.addFile('a', file)
    several.addFile('b', file)
    expect((await several.finish()).directories.map(({ path }) => path)).toEqual([''])
  })
})
