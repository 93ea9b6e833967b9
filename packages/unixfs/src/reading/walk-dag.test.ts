import * as dagCbor from '@ipld/dag-cbor'
import fc from 'fast-check'
import type { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import type { CidList } from '../cids/cid-list.ts'
import { dagCborCode, dagPbCode, rawCode } from '../cids/sha256-cid.ts'
import { encodeDagPb } from '../formats/dag-pb.ts'
import { encodeFileData } from '../formats/unixfs-data.ts'
import {
  collect,
  createIdentityCid,
  createMemoryBlocks,
  importBytes,
  type MemoryBlocks,
  patternOf,
  sha256,
} from '../memory-blocks.suite.ts'
import { createDirectoryTree } from '../writing/directory-tree.ts'
import { type ImportProfile, importProfiles } from '../writing/profiles.ts'
import { createVerifyingSource } from './block-source.ts'
import { listDirectory } from './list-directory.ts'
import { readFile } from './read-file.ts'
import { verifyDag } from './verify-dag.ts'
import { type WalkOptions, walkDag } from './walk-dag.ts'

const profile: ImportProfile = { ...importProfiles.v1, chunkSizeBytes: 10, maxLinks: 3, hamtThresholdBytes: 400 }

async function walk(source: MemoryBlocks, root: CID, options?: WalkOptions): Promise<string[]> {
  return (await collect(walkDag(source, root, options))).map(({ cid }) => String(cid))
}

function addNode(blocks: MemoryBlocks, children: CID[]): CID {
  const links = children.map((cid) => ({ cid: cid.bytes, name: new Uint8Array(0), sizeBytes: 1 }))
  return blocks.add(dagPbCode, encodeDagPb(links, Uint8Array.of(8, 1)))
}

/** A grid of `depth` layers of `width` nodes, each linking to all of the layer below. */
function addGrid(blocks: MemoryBlocks, depth: number, width: number): CID {
  let layer = Array.from({ length: width }, (_, index) => blocks.add(rawCode, patternOf(4, index)))
  for (let level = 0; level < depth; level++) {
    layer = layer.map((_, index) => addNode(blocks, [...layer.slice(index), ...layer.slice(0, index)]))
  }
  return addNode(blocks, layer)
}

async function importTree(blocks: MemoryBlocks, files = 60) {
  const tree = createDirectoryTree({ profile, hash: sha256, sink: blocks })
  for (let index = 0; index < files; index++) {
    tree.addFile(`folder/file ${index}`, await importBytes(patternOf(index, index), profile, blocks))
  }
  tree.addFile('large', await importBytes(patternOf(500), profile, blocks))
  return tree.finish()
}

describe('walking a DAG', () => {
  it('returns every block once, parents first, and all of them', async () => {
    const blocks = createMemoryBlocks()
    const { root } = await importTree(blocks)
    const walked = await walk(blocks, root.cid)
    expect(walked[0]).toBe(String(root.cid))
    expect([...walked].sort()).toEqual(blocks.toCids())
  })

  it('returns a block once per link when duplicates are wanted', async () => {
    const blocks = createMemoryBlocks()
    const leaf = blocks.add(rawCode, patternOf(3))
    const inner = addNode(blocks, [leaf, leaf])
    const root = addNode(blocks, [inner, leaf, inner])
    const order = [root, inner, leaf, leaf, leaf, inner, leaf, leaf].map(String)
    expect(await walk(blocks, root, { dups: true })).toEqual(order)
    expect(await walk(blocks, root)).toEqual(order.slice(0, 3))
  })

  it('keeps the bytes of pending links only, not decoded ones', async () => {
    const blocks = createMemoryBlocks()
    const leaves = [1, 2, 3].map((length) => blocks.add(rawCode, patternOf(length)))
    const announced: (readonly CID[] | CidList)[] = []
    const source = { get: blocks.get, prefetch: (cids: readonly CID[] | CidList) => void announced.push(cids) }
    const walking = walkDag(source, addNode(blocks, leaves))
    for (let count = 0; count < 2; count++) await walking.next()
    // The walk reads its pending links from the announced list, which decodes them again each time.
    expect(announced).toHaveLength(1)
    const [list] = announced
    expect(list).not.toBeInstanceOf(Array)
    expect(list?.slice(0, 3).map(String)).toEqual(leaves.map(String))
    expect(list?.slice(1, 2)[0]).not.toBe(list?.slice(1, 2)[0])
    expect(await collect(walking)).toHaveLength(2)
  })

  it('stops at the root block, or at the entity', async () => {
    const blocks = createMemoryBlocks()
    const { root, directories } = await importTree(blocks)
    const [folder] = directories
    if (folder === undefined) throw new Error('no folder')
    expect(await walk(blocks, root.cid, { scope: 'block' })).toEqual([String(root.cid)])
    expect(await walk(blocks, root.cid, { scope: 'entity' })).toEqual([String(root.cid)])
    const shards = await walk(blocks, folder.node.cid, { scope: 'entity' })
    blocks.read.length = 0
    expect(await collect(listDirectory(blocks, folder.node.cid))).toHaveLength(60)
    expect(shards.length).toBeGreaterThan(1)
    expect(shards).toEqual(blocks.read)
    const { cid } = await importBytes(patternOf(500), profile, createMemoryBlocks())
    expect(await walk(blocks, cid, { scope: 'entity' })).toEqual(await walk(blocks, cid))
  })

  it('returns just the blocks of a byte range', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(300),
        fc.integer({ min: -350, max: 350 }),
        fc.integer({ min: -350, max: 350 }),
        async (length, from, to) => {
          const blocks = createMemoryBlocks()
          const { cid } = await importBytes(patternOf(length), profile, blocks)
          const fromByte = from < 0 ? Math.max(0, length + from) : from
          const toByte = Math.min(length, (to < 0 ? length + to : to) + 1)
          const walked = await walk(blocks, cid, { scope: 'entity', entityBytes: { from, to } })
          if (fromByte >= toByte) {
            expect(walked).toEqual([String(cid)])
            return
          }
          blocks.read.length = 0
          await collect(readFile(blocks, cid, { fromByte, toByte }))
          expect(walked).toEqual([...new Set(blocks.read)])
        },
      ),
    )
  })

  it('returns the blocks of a byte range that ends in two places of one node', async () => {
    const blocks = createMemoryBlocks()
    // 30 bytes are one node of three leaves, which the file has twice.
    const { cid } = await importBytes(Uint8Array.of(...patternOf(30), ...patternOf(30)), profile, blocks)
    for (const [from, to] of [
      [20, 39],
      [25, 31],
      [0, 39],
      [20, 59],
    ] as const) {
      blocks.read.length = 0
      await collect(readFile(blocks, cid, { fromByte: from, toByte: to + 1 }))
      const wanted = [...new Set(blocks.read)].sort()
      const walked = await walk(blocks, cid, { scope: 'entity', entityBytes: { from, to } })
      expect(walked.toSorted()).toEqual(wanted)
    }
  })

  it('rejects a part of a file whose size is not that of its link', async () => {
    const blocks = createMemoryBlocks()
    const addFile = (children: CID[], sizes: number[]) =>
      blocks.add(
        dagPbCode,
        encodeDagPb(
          children.map((child) => ({ cid: child.bytes, name: new Uint8Array(0), sizeBytes: 1 })),
          encodeFileData(
            sizes.reduce((sum, size) => sum + size, 0),
            sizes,
          ),
        ),
      )
    // Each node claims that two copies of the node below are at the ends of the range: 2^60 visits, if that were true.
    let cid = blocks.add(rawCode, patternOf(4))
    for (let level = 0; level < 60; level++) cid = addFile([cid, cid], [6, 6])
    const walking = walk(blocks, cid, { scope: 'entity', entityBytes: { from: 2, to: 9 } })
    await expect(walking).rejects.toMatchObject({ code: 'BAD_BLOCK' })
    expect(blocks.read.length).toBeLessThan(10)
  })

  it('reads to the end of the file with a star', async () => {
    const blocks = createMemoryBlocks()
    const { cid } = await importBytes(patternOf(100), profile, blocks)
    const all = await walk(blocks, cid)
    expect(await walk(blocks, cid, { scope: 'entity', entityBytes: { from: 0, to: '*' } })).toEqual(all)
    const last = await walk(blocks, cid, { scope: 'entity', entityBytes: { from: -1, to: '*' } })
    expect(last.at(-1)).toBe(all.at(-1))
    expect(last.length).toBeLessThan(6)
  })

  it('follows linked data and omits blocks that lie in their CID', async () => {
    const blocks = createMemoryBlocks()
    const file = blocks.add(rawCode, patternOf(9))
    const inlined = createIdentityCid(dagCborCode, dagCbor.encode({ inner: file }))
    const root = blocks.add(dagCborCode, dagCbor.encode({ a: [inlined], z: new Map([['k', 1.5]]).size }))
    expect(await walk(blocks, root)).toEqual([root, file].map(String))
    expect(await walk(blocks, root, { scope: 'entity' })).toEqual([String(root)])
  })

  it('stops when too many links wait on the way down', async () => {
    const blocks = createMemoryBlocks()
    const leaves = Array.from({ length: 100 }, (_, at) => blocks.add(rawCode, patternOf(4, at)))
    const addChain = (depth: number, place: 'first' | 'last') => {
      let cid = blocks.add(rawCode, patternOf(1))
      for (let level = 0; level < depth; level++) {
        cid = addNode(blocks, place === 'first' ? [cid, ...leaves] : [...leaves, cid])
      }
      return cid
    }
    // 4,044 bytes per level.
    const limits = { maxPendingBytes: 41_000 }
    expect(await walk(blocks, addChain(10, 'first'), limits)).toHaveLength(111)
    await expect(walk(blocks, addChain(11, 'first'), limits)).rejects.toMatchObject({ code: 'TOO_LARGE' })
    // None waits above the last child of a block.
    expect(await walk(blocks, addChain(50, 'last'), limits)).toHaveLength(151)
  })

  it('stops at its limits of depth and number, in any shape', async () => {
    const blocks = createMemoryBlocks()
    let chain = blocks.add(rawCode, patternOf(1))
    for (let level = 0; level < 5000; level++) chain = addNode(blocks, [chain])
    await expect(walk(blocks, chain)).rejects.toMatchObject({ code: 'TOO_DEEP' })
    expect(await walk(blocks, chain, { maxDepth: 5000 })).toHaveLength(5001)
    const grid = addGrid(blocks, 40, 40)
    expect(await walk(blocks, grid)).toHaveLength(41 * 40 + 1)
    await expect(walk(blocks, grid, { dups: true, maxBlocks: 10_000 })).rejects.toMatchObject({ code: 'TOO_LARGE' })
    const stop = AbortSignal.abort()
    await expect(walk(blocks, grid, { signal: stop })).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
  })
})

describe('checking that a DAG is complete', () => {
  it('finds each block that is missing', async () => {
    const blocks = createMemoryBlocks()
    // Enough for parts of a sharded folder in two levels. Each block costs two walks through the others.
    const { root } = await importTree(blocks, 30)
    for (const cid of blocks.toCids()) {
      const { [cid]: _left, ...others } = Object.fromEntries(blocks.blocks)
      const lacking = createMemoryBlocks()
      for (const [text, bytes] of Object.entries(others)) lacking.blocks.set(text, bytes)
      await expect(verifyDag(lacking, [root.cid])).rejects.toMatchObject({ code: 'MISSING_BLOCK', details: { cid } })
      const { get } = lacking
      await expect(verifyDag({ get }, [root.cid])).rejects.toMatchObject({ code: 'MISSING_BLOCK', details: { cid } })
    }
    expect(await verifyDag(blocks, [root.cid, root.cid])).toMatchObject({ blockCount: blocks.blocks.size })
  })

  it('is linear if blocks share their children', async () => {
    const blocks = createMemoryBlocks()
    const grid = addGrid(blocks, 40, 40)
    expect(await verifyDag(blocks, [grid])).toEqual({ blockCount: 41 * 40 + 1, nodeCount: 40 * 40 + 1 })
    expect(blocks.read).toHaveLength(40 * 40 + 1)
  })

  it('stops at its limits', async () => {
    const blocks = createMemoryBlocks()
    const grid = addGrid(blocks, 5, 5)
    await expect(verifyDag(blocks, [grid], { maxBlocks: 30 })).rejects.toMatchObject({ code: 'TOO_LARGE' })
    await expect(verifyDag(blocks, [grid], { maxLinks: 100 })).rejects.toMatchObject({ code: 'TOO_LARGE' })
    await expect(verifyDag(blocks, [grid], { maxDepth: 5 })).rejects.toMatchObject({ code: 'TOO_DEEP' })
    expect(await verifyDag(blocks, [grid], { maxBlocks: 31, maxLinks: 130, maxDepth: 6 })).toBeDefined()
    let chain = grid
    for (let level = 0; level < 20_000; level++) chain = addNode(blocks, [chain])
    await expect(verifyDag(blocks, [chain])).rejects.toMatchObject({ code: 'TOO_DEEP' })
    expect(await verifyDag(blocks, [chain], { maxDepth: 30_000 })).toMatchObject({ blockCount: 20_031 })
  })

  it('detects a cycle that a source shows without checking hashes', async () => {
    const blocks = createMemoryBlocks()
    const leaf = blocks.add(rawCode, patternOf(2))
    const inner = addNode(blocks, [leaf])
    const middle = addNode(blocks, [leaf, inner])
    const root = addNode(blocks, [inner, middle])
    expect(await verifyDag(blocks, [root])).toBeDefined()
    blocks.blocks.set(String(inner), await blocks.get(addNode(blocks, [leaf, middle])))
    await expect(verifyDag(blocks, [root])).rejects.toMatchObject({ code: 'CYCLE' })
    await expect(walk(blocks, root, { dups: true })).rejects.toMatchObject({ code: 'TOO_DEEP' })
    expect(await walk(blocks, root)).toHaveLength(4)
  })

  it('rejects blocks that cannot be decoded', async () => {
    const blocks = createMemoryBlocks()
    const broken = blocks.add(dagPbCode, Uint8Array.of(1, 2, 3))
    await expect(verifyDag(blocks, [addNode(blocks, [broken])])).rejects.toMatchObject({ code: 'BAD_BLOCK' })
    const foreign = blocks.add(0x78, patternOf(3))
    await expect(verifyDag(blocks, [foreign])).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })
})

describe('a verifying source', () => {
  it('returns true blocks and rejects a changed one', async () => {
    const blocks = createMemoryBlocks()
    const cid = blocks.add(rawCode, patternOf(20))
    const source = createVerifyingSource(blocks, sha256)
    expect(await source.get(cid)).toEqual(patternOf(20))
    blocks.blocks.set(String(cid), patternOf(20, 2))
    await expect(source.get(cid)).rejects.toMatchObject({ code: 'HASH_MISMATCH' })
  })
})
