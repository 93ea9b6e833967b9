import fc from 'fast-check'
import { exporter } from 'ipfs-unixfs-exporter'
import type { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { dagCborCode, dagPbCode } from './cids/sha256-cid.ts'
import { encodeDagPb } from './formats/dag-pb.ts'
import { decodeNode } from './formats/node.ts'
import { encodeHamtData } from './formats/unixfs-data.ts'
import {
  asBlockstore,
  collect,
  createMemoryBlocks,
  importBytes,
  type MemoryBlocks,
  patternOf,
  sha256,
} from './memory-blocks.suite.ts'
import { listDirectory } from './reading/list-directory.ts'
import { resolvePath } from './reading/resolve-path.ts'
import type { ImportedNode } from './writing/block-sink.ts'
import { createDirectoryTree } from './writing/directory-tree.ts'
import { type ImportProfile, importProfiles } from './writing/profiles.ts'

const utf8 = new TextEncoder()

async function importFolder(blocks: MemoryBlocks, paths: string[], profile: ImportProfile): Promise<ImportedNode> {
  const tree = createDirectoryTree({ profile, hash: sha256, sink: blocks })
  for (const path of paths) tree.addFile(path, await importBytes(utf8.encode(path), profile, blocks))
  return (await tree.finish()).root
}

const flat: ImportProfile = importProfiles.v1
const sharded: ImportProfile = { ...flat, hamtThresholdBytes: 50 }

function addFolder(blocks: MemoryBlocks, entries: [string, CID][], data: Uint8Array = Uint8Array.of(8, 1)): CID {
  const links = entries.map(([name, cid]) => ({ cid: cid.bytes, name: utf8.encode(name), sizeBytes: 1 }))
  return blocks.add(dagPbCode, encodeDagPb(links, data))
}

const anyNames = fc.uniqueArray(
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((name) => name.isWellFormed() && !/[/\0]|^\.{1,2}$/.test(name)),
  { minLength: 1, maxLength: 60 },
)

describe('folders, flat and sharded', () => {
  it('list every entry once, with its CID and size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(flat, sharded), anyNames, async (profile, names) => {
        const blocks = createMemoryBlocks()
        const { cid } = await importFolder(blocks, names, profile)
        const entries = await collect(listDirectory(blocks, cid))
        expect(entries.map(({ name }) => name).sort()).toEqual([...names].sort())
        for (const entry of entries) {
          expect(Buffer.from(await blocks.get(entry.cid)).toString()).toBe(entry.name)
          expect(entry.sizeBytes).toBe(Buffer.byteLength(entry.name))
        }
      }),
      { numRuns: 60 },
    )
  })

  it('resolve each name, and only those', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(flat, sharded), anyNames, async (profile, names) => {
        const blocks = createMemoryBlocks()
        const { cid } = await importFolder(blocks, names, profile)
        for (const name of names) {
          const found = await resolvePath(blocks, cid, [name])
          expect(Buffer.from(await blocks.get(found.cid)).toString()).toBe(name)
          expect(found.roots.map(String)).toEqual([String(cid), String(found.cid)])
          await expect(resolvePath(blocks, cid, [`${name}\0`])).rejects.toMatchObject({ code: 'NOT_FOUND' })
        }
      }),
      { numRuns: 60 },
    )
  })

  it('are read by the published exporter', async () => {
    for (const profile of [flat, sharded]) {
      const blocks = createMemoryBlocks()
      const names = Array.from({ length: 300 }, (_, index) => `${index} ü`)
      const { cid } = await importFolder(blocks, names, profile)
      const entry = await exporter(cid, asBlockstore(blocks))
      if (entry.type !== 'directory') throw new Error('not a folder')
      expect((await collect(entry.entries())).map(({ name }) => name).sort()).toEqual([...names].sort())
    }
  })

  it('keep only the bytes of many links, not decoded ones, while they are listed', async () => {
    const blocks = createMemoryBlocks()
    const names = Array.from({ length: 1100 }, (_, index) => `file ${index}`)
    const { cid } = await importFolder(blocks, names, flat)
    const node = decodeNode(cid, await blocks.get(cid))
    const source = { get: blocks.get, nodes: { get: () => node, set: () => undefined } }
    const entries = await collect(listDirectory(source, cid))
    expect(entries.map(({ name, cid: one }) => `${name} ${one}`)).toEqual(
      node.links.map(({ name, cid: one }) => `${name} ${one}`),
    )
    expect(entries.every((entry, at) => entry.cid !== node.links[at]?.cid)).toBe(true)
  })

  it('resolve nested paths and report every block on the way', async () => {
    for (const profile of [flat, sharded]) {
      const blocks = createMemoryBlocks()
      const paths = Array.from({ length: 300 }, (_, index) => `outer/${index % 7}/file ${index}`)
      const { cid } = await importFolder(blocks, paths, profile)
      blocks.read.length = 0
      const found = await resolvePath(blocks, cid, ['outer', '3', 'file 10'])
      expect(found).toMatchObject({ kind: 'raw', remaining: [] })
      expect(found.roots).toHaveLength(4)
      expect(found.blocks.map(String)).toEqual(blocks.read)
    }
  })
})

describe('paths', () => {
  it('report that they lead below a file, or to nothing', async () => {
    const blocks = createMemoryBlocks()
    const { cid } = await importFolder(blocks, ['a/b'], flat)
    await expect(resolvePath(blocks, cid, ['a', 'b', 'c'])).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' })
    await expect(resolvePath(blocks, cid, ['a', 'x'])).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(resolvePath(blocks, cid, Array(129).fill('a'))).rejects.toMatchObject({ code: 'TOO_DEEP' })
    expect(await resolvePath(blocks, cid, [])).toMatchObject({ kind: 'directory', remaining: [] })
  })

  it('that continue inside linked data stop before it', async () => {
    const blocks = createMemoryBlocks()
    // The DAG-CBOR map { a: 1 }.
    const data = blocks.add(dagCborCode, Uint8Array.of(0xa1, 0x61, 0x61, 1))
    const folder = addFolder(blocks, [['data', data]])
    expect(await resolvePath(blocks, folder, ['data', 'a'])).toMatchObject({ kind: 'other', remaining: ['a'] })
  })
})

describe('hostile folders', () => {
  const shard = (entries: [string, CID][], blocks: MemoryBlocks): CID => {
    const bits = new Uint8Array(32)
    for (const [name] of entries) {
      const slot = Number.parseInt(name.slice(0, 2), 16)
      bits[31 - (slot >> 3)] = (bits[31 - (slot >> 3)] ?? 0) | (1 << (slot & 7))
    }
    const start = bits.findIndex((byte) => byte !== 0)
    return addFolder(blocks, entries, encodeHamtData(start === -1 ? new Uint8Array(0) : bits.subarray(start), 256))
  }

  it('whose shards repeat each other end at the first entry out of place', async () => {
    const blocks = createMemoryBlocks()
    const file = (await importBytes(patternOf(3), flat, blocks)).cid
    let cid = shard([['00name', file]], blocks)
    for (let level = 0; level < 7; level++) {
      cid = shard(
        Array.from({ length: 256 }, (_, slot) => [slot.toString(16).toUpperCase().padStart(2, '0'), cid]),
        blocks,
      )
    }
    await expect(collect(listDirectory(blocks, cid))).rejects.toMatchObject({ code: 'BAD_BLOCK' })
    expect(blocks.read.length).toBeLessThan(10)
    await expect(collect(listDirectory(blocks, shard([['00', cid]], blocks)))).rejects.toMatchObject({
      code: 'TOO_DEEP',
    })
    await expect(resolvePath(blocks, cid, ['x'])).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('with empty or foreign shards are rejected', async () => {
    const blocks = createMemoryBlocks()
    const empty = shard([], blocks)
    expect(await collect(listDirectory(blocks, empty))).toEqual([])
    for (const inner of [empty, addFolder(blocks, [])]) {
      const cid = shard([['00', inner]], blocks)
      await expect(collect(listDirectory(blocks, cid))).rejects.toMatchObject({ code: 'BAD_BLOCK' })
    }
  })

  it('with a bit field, fan-out or entry that contradicts the rest are rejected', () => {
    const blocks = createMemoryBlocks()
    const file = blocks.add(0x55, patternOf(3))
    const hamt = (bitfield: number[], fanout: number[], hashType = 0x22) =>
      Uint8Array.of(8, 5, 0x12, bitfield.length, ...bitfield, 0x28, hashType, 0x30, ...fanout)
    const good = hamt([1], [0x80, 2])
    const bad: [[string, CID][], Uint8Array][] = [
      [[['00a', file]], hamt([3], [0x80, 2])],
      [[['01a', file]], good],
      [
        [
          ['00a', file],
          ['00b', file],
        ],
        good,
      ],
      [[['0', file]], good],
      [[['zza', file]], good],
      [[['0aa', file]], hamt([4, 0], [0x80, 2])],
      [[['00a', file]], hamt([1], [0x80, 0x80, 0x80, 0x80, 8])],
      [[['00a', file]], hamt([1], [0])],
      [[['00a', file]], hamt([1], [0xff, 1])],
      [[['00a', file]], hamt([1], [0x80, 2], 0x12)],
      [[['00a', file]], hamt([...Array(33).fill(0), 1], [0x80, 2])],
      [[['00a', file]], Uint8Array.of(8, 5)],
    ]
    const decode = (entries: [string, CID][], data: Uint8Array) => {
      const cid = addFolder(blocks, entries, data)
      return decodeNode(cid, blocks.blocks.get(String(cid)) ?? patternOf(0))
    }
    expect(decode([['00a', file]], good)).toMatchObject({ kind: 'hamt', fanout: 256 })
    for (const [entries, data] of bad) {
      expect(() => decode(entries, data)).toThrow(expect.objectContaining({ code: 'BAD_BLOCK' }))
    }
  })

  it('are not listed when they are not folders', async () => {
    const blocks = createMemoryBlocks()
    const { cid } = await importBytes(patternOf(3), flat, blocks)
    await expect(collect(listDirectory(blocks, cid))).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' })
  })
})
