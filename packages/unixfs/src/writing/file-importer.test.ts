import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import { importer as importWithReference } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import type { HashFunction } from '../cids/hash-function.ts'
import { createSha256Cid } from '../cids/sha256-cid.ts'
import { verifyBlock } from '../cids/verify.ts'
import { collect, createMemoryBlocks, importBytes, patternOf, promisedSha256, sha256 } from '../memory-blocks.suite.ts'
import { statNode } from '../reading/stat-node.ts'
import { createBalancedTree } from './balanced-tree.ts'
import type { BlockSink, ImportedNode } from './block-sink.ts'
import { createFileImporter, type FileImportState } from './file-importer.ts'
import { type ImportProfile, importProfiles } from './profiles.ts'

async function importByReference(bytes: Uint8Array, profile: ImportProfile) {
  const store = new MemoryBlockstore()
  const [entry] = await collect(
    importWithReference([{ content: bytes }], store, {
      cidVersion: profile.cidVersion,
      rawLeaves: profile.rawLeaves,
      reduceSingleLeafToSelf: true,
      chunker: fixedSize({ chunkSize: profile.chunkSizeBytes }),
      layout: balanced({ maxChildrenPerNode: profile.maxLinks }),
    }),
  )
  if (entry === undefined) throw new Error('The reference made nothing')
  return { cid: String(entry.cid), size: Number(entry.size) }
}

const small = (profile: ImportProfile, chunkSizeBytes: number, maxLinks: number): ImportProfile => ({
  ...profile,
  chunkSizeBytes,
  maxLinks,
})

/** A sink with one slab, like a pack writer: regions in it are stored without a copy. */
function createSlabSink(into: BlockSink): BlockSink & { copies: number } {
  const slab = new Uint8Array(1_000_000)
  let at = 0
  const sink = {
    copies: 0,
    allocate(sizeBytes: number) {
      if (at + sizeBytes > slab.length) at = 0
      return slab.subarray(at, at + sizeBytes)
    },
    put(cid: Parameters<BlockSink['put']>[0], bytes: Uint8Array) {
      if (bytes.buffer === slab.buffer) at = bytes.byteOffset + bytes.length
      else sink.copies++
      return into.put(cid, bytes)
    },
  }
  return sink
}

const anyProfile = fc.constantFrom<ImportProfile[]>(importProfiles.v0, importProfiles.v1, {
  ...importProfiles.v1,
  rawLeaves: false,
})

describe('a file has the DAG of the published importer', () => {
  it('for deep trees, however the bytes are split, hashed and stored', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyProfile,
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 2, max: 5 }),
        fc.nat(3000),
        fc.integer({ min: 1, max: 700 }),
        fc.constantFrom<HashFunction>(sha256, promisedSha256),
        fc.constantFrom('plain', 'slab', 'slow'),
        async (base, chunkSizeBytes, maxLinks, length, pieceBytes, hash, kind) => {
          const profile = small(base, chunkSizeBytes, maxLinks)
          const bytes = patternOf(length)
          const blocks = createMemoryBlocks()
          const slow: BlockSink = {
            async put(cid, block) {
              await Promise.resolve()
              await blocks.put(cid, block)
            },
          }
          const sink = kind === 'plain' ? blocks : createSlabSink(kind === 'slow' ? slow : blocks)
          const node = await importBytes(bytes, profile, sink, pieceBytes, hash)
          const reference = await importByReference(bytes, profile)
          expect({ cid: String(node.cid), size: node.dagSizeBytes }).toEqual(reference)
          expect(node.fileSizeBytes).toBe(length)
          for (const [text, block] of blocks.blocks) await verifyBlock(CID.parse(text), block, sha256)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('around the borders of chunks and of 174 links', async () => {
    for (const base of [importProfiles.v0, importProfiles.v1]) {
      const profile = small(base, 16, 174)
      for (const chunks of [0, 1, 2, 173, 174, 175, 348]) {
        for (const extra of [-1, 0, 1]) {
          const bytes = patternOf(Math.max(0, chunks * 16 + extra))
          const node = await importBytes(bytes, profile, createMemoryBlocks(), 1000)
          const reference = await importByReference(bytes, profile)
          expect({ cid: String(node.cid), size: node.dagSizeBytes }).toEqual(reference)
        }
      }
    }
  })
})

describe('an interrupted import continues in another importer', () => {
  const anyCut = fc.record({
    base: anyProfile,
    chunkSizeBytes: fc.integer({ min: 1, max: 300 }),
    maxLinks: fc.integer({ min: 2, max: 5 }),
    length: fc.nat(3000),
    cuts: fc.array(fc.nat(3000), { maxLength: 12 }),
    hash: fc.constantFrom<HashFunction>(sha256, promisedSha256),
    isSlab: fc.boolean(),
  })

  it('with the same DAG as in one, wherever it was interrupted', async () => {
    await fc.assert(
      fc.asyncProperty(anyCut, async ({ base, chunkSizeBytes, maxLinks, length, cuts, hash, isSlab }) => {
        const profile = small(base, chunkSizeBytes, maxLinks)
        const bytes = patternOf(length)
        const blocks = createMemoryBlocks()
        let levels: FileImportState['levels'] = []
        let tail = new Uint8Array(0)
        const borders = [...cuts.map((cut) => Math.min(cut, length)).sort((a, b) => a - b), length]
        let from = 0
        let node: ImportedNode | undefined
        for (const [at, to] of borders.entries()) {
          const sink = isSlab ? createSlabSink(blocks) : blocks
          const importer = createFileImporter({ profile, hash, sink }, levels)
          await importer.write(tail)
          await importer.write(bytes.subarray(from, to))
          from = to
          if (at === borders.length - 1) node = await importer.finish()
          else {
            const state = await importer.state()
            levels = state.levels
            tail = new Uint8Array(state.tail)
            expect(tail.length).toBeLessThan(chunkSizeBytes)
            for (const level of levels) expect(level.length).toBeLessThan(maxLinks)
          }
        }
        expect({ cid: String(node?.cid), size: node?.dagSizeBytes }).toEqual(await importByReference(bytes, profile))
        expect(node?.fileSizeBytes).toBe(length)
        for (const [text, block] of blocks.blocks) await verifyBlock(CID.parse(text), block, sha256)
      }),
      { numRuns: 200 },
    )
  })

  it('at the borders of chunks and of 174 links', async () => {
    for (const base of [importProfiles.v0, importProfiles.v1]) {
      const profile = small(base, 16, 174)
      for (const chunks of [1, 173, 174, 175, 348]) {
        for (const extra of [-1, 0, 1]) {
          const bytes = patternOf(349 * 16)
          const blocks = createMemoryBlocks()
          const first = createFileImporter({ profile, hash: sha256, sink: blocks })
          await first.write(bytes.subarray(0, chunks * 16 + extra))
          const { levels, tail } = await first.state()
          const second = createFileImporter({ profile, hash: sha256, sink: blocks }, levels)
          await second.write(tail)
          await second.write(bytes.subarray(chunks * 16 + extra))
          const node = await second.finish()
          expect({ cid: String(node.cid), size: node.dagSizeBytes }).toEqual(await importByReference(bytes, profile))
        }
      }
    }
  })
})

describe('the importer', () => {
  it('stays synchronous when hash and sink are', () => {
    const importer = createFileImporter({ profile: importProfiles.v1, hash: sha256, sink: createMemoryBlocks() })
    for (let count = 0; count < 200; count++) expect(importer.write(patternOf(300_000))).toBeUndefined()
  })

  it('copies only file nodes into a sink that hands out buffers', async () => {
    const blocks = createMemoryBlocks()
    for (const base of [importProfiles.v0, importProfiles.v1]) {
      const sink = createSlabSink(blocks)
      await importBytes(patternOf(10_000), small(base, 100, 10), sink, 64)
      expect(sink.copies).toBe(11)
    }
  })

  it('lets the caller reuse the bytes after the write has settled', async () => {
    const profile = small(importProfiles.v1, 50, 3)
    const bytes = patternOf(1000)
    for (const hash of [sha256, promisedSha256]) {
      const importer = createFileImporter({ profile, hash, sink: createMemoryBlocks() })
      const buffer = new Uint8Array(100)
      for (let at = 0; at < bytes.length; at += 100) {
        buffer.set(bytes.subarray(at, at + 100))
        await importer.write(buffer)
        buffer.fill(0)
      }
      expect(String((await importer.finish()).cid)).toBe((await importByReference(bytes, profile)).cid)
    }
  })

  it('waits for a slow sink before it accepts more', async () => {
    let waiting = 0
    const sink: BlockSink = {
      async put() {
        expect(++waiting).toBe(1)
        await new Promise((resolve) => setImmediate(resolve))
        waiting--
      },
    }
    await importBytes(patternOf(2000), small(importProfiles.v0, 10, 4), sink, 300, promisedSha256)
    await importBytes(patternOf(2000), small(importProfiles.v1, 10, 4), sink, 300)
  })

  it('fails with the error of the sink or of the hash', async () => {
    const failing = Promise.reject(new Error('disk full'))
    failing.catch(() => undefined)
    for (const hash of [sha256, promisedSha256]) {
      const profile = small(importProfiles.v1, 10, 4)
      await expect(importBytes(patternOf(200), profile, { put: () => failing }, 7, hash)).rejects.toThrow('disk full')
    }
    const noHash: HashFunction = () => failing
    await expect(
      importBytes(patternOf(200), small(importProfiles.v0, 10, 4), createMemoryBlocks(), 7, async (b) => noHash(b)),
    ).rejects.toThrow('disk full')
  })

  it('rejects a write before the last one has settled', async () => {
    const profile = small(importProfiles.v1, 10, 4)
    const importer = createFileImporter({ profile, hash: sha256, sink: { put: async () => undefined } })
    const first = importer.write(patternOf(25))
    expect(() => importer.write(patternOf(5))).toThrow(TypeError)
    await first
    await importer.write(patternOf(5))
    expect((await importer.finish()).fileSizeBytes).toBe(30)
  })

  it('counts in numbers beyond 2^32', async () => {
    const blocks = createMemoryBlocks()
    const digest = await sha256(new Uint8Array(0))
    const huge = 2 ** 31
    const tree = createBalancedTree(importProfiles.v1, sha256, blocks)
    const leaf = { cid: createSha256Cid(1, 0x55, digest), fileSizeBytes: huge, dagSizeBytes: huge }
    for (let count = 0; count < 400; count++) await tree.add(leaf)
    const root = await tree.finish()
    expect(root.fileSizeBytes).toBe(400 * huge)
    const { Links, Data } = dagPb.decode(await blocks.get(root.cid))
    const { blockSizes } = UnixFS.unmarshal(Data ?? new Uint8Array(0))
    expect(blockSizes).toEqual([174, 174, 52].map((count) => BigInt(count * huge)))
    expect(Links[0]?.Tsize).toBeGreaterThan(174 * huge)
    expect(await statNode(blocks, root.cid)).toMatchObject({
      fileSizeBytes: 400 * huge,
      dagSizeBytes: root.dagSizeBytes,
    })
  })
})
