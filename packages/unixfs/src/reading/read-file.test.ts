import fc from 'fast-check'
import { exporter } from 'ipfs-unixfs-exporter'
import type { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import type { CidList } from '../cids/cid-list.ts'
import { dagPbCode, rawCode } from '../cids/sha256-cid.ts'
import { encodeDagPb } from '../formats/dag-pb.ts'
import { encodeFileData, encodeInlineData, unixfsTypes } from '../formats/unixfs-data.ts'
import {
  asBlockstore,
  collect,
  createIdentityCid,
  createMemoryBlocks,
  importBytes,
  type MemoryBlocks,
  patternOf,
} from '../memory-blocks.suite.ts'
import { UnixfsError } from '../unixfs-error.ts'
import { type ImportProfile, importProfiles } from '../writing/profiles.ts'
import { type ByteRange, readFile } from './read-file.ts'
import { statNode } from './stat-node.ts'

const noName = new Uint8Array(0)
type Announced = readonly CID[] | CidList

async function readWhole(source: MemoryBlocks, cid: CID, range: ByteRange = {}): Promise<Buffer> {
  return Buffer.concat(await collect(readFile(source, cid, range)))
}

/** A file node with children that claim these sizes. */
function addFile(blocks: MemoryBlocks, children: [CID, number][], fileSizeBytes?: number): CID {
  const sizes = children.map(([, size]) => size)
  const data = encodeFileData(fileSizeBytes ?? sizes.reduce((sum, size) => sum + size, 0), sizes)
  const links = children.map(([cid, sizeBytes]) => ({ cid: cid.bytes, name: noName, sizeBytes }))
  return blocks.add(dagPbCode, encodeDagPb(links, data))
}

const anyFile = fc.record({
  profile: fc
    .record({
      base: fc.constantFrom<ImportProfile>(importProfiles.v0, importProfiles.v1),
      chunkSizeBytes: fc.integer({ min: 1, max: 100 }),
      maxLinks: fc.integer({ min: 2, max: 6 }),
    })
    .map(({ base, ...sizes }): ImportProfile => ({ ...base, ...sizes })),
  length: fc.nat(2000),
})

describe('reading a file', () => {
  it('returns the imported bytes, as the published exporter does', async () => {
    await fc.assert(
      fc.asyncProperty(anyFile, async ({ profile, length }) => {
        const bytes = patternOf(length)
        const blocks = createMemoryBlocks()
        const { cid, dagSizeBytes } = await importBytes(bytes, profile, blocks)
        expect((await readWhole(blocks, cid)).equals(bytes)).toBe(true)
        const entry = await exporter(cid, asBlockstore(blocks))
        if (entry.type !== 'file' && entry.type !== 'raw') throw new Error(`The exporter sees a ${entry.type}`)
        expect(Buffer.concat(await collect(entry.content())).equals(bytes)).toBe(true)
        expect(await statNode(blocks, cid)).toMatchObject({ fileSizeBytes: length, dagSizeBytes })
      }),
    )
  })

  it('returns the bytes in nodes with children from a source that reuses memory', async () => {
    const blocks = createMemoryBlocks()
    const leafBytes = 262_144
    const expected: Uint8Array[] = []
    const nodes = Array.from({ length: 3 }, (_, at): [CID, number] => {
      const own = patternOf(100 + at)
      expected.push(own)
      const leaves = Array.from({ length: 12 }, (_leaf, index) => {
        const bytes = patternOf(leafBytes + 12 * at + index).subarray(12 * at + index)
        expected.push(bytes)
        return blocks.add(rawCode, bytes)
      })
      const sizeBytes = own.length + leaves.length * leafBytes
      const fields = encodeFileData(
        sizeBytes,
        leaves.map(() => leafBytes),
      )
      const data = Buffer.concat([fields.subarray(0, 2), Buffer.of(0x12, own.length), own, fields.subarray(2)])
      const links = leaves.map((cid) => ({ cid: cid.bytes, name: noName, sizeBytes: leafBytes }))
      return [blocks.add(dagPbCode, encodeDagPb(links, data)), sizeBytes]
    })
    const root = addFile(blocks, nodes)
    const lent: Uint8Array[] = []
    const source = {
      async get(cid: CID) {
        // Valid until another MiB was read.
        if (lent.length > 4) lent.shift()?.fill(0)
        const bytes = new Uint8Array(await blocks.get(cid))
        lent.push(bytes)
        return bytes
      },
      prefetch: () => undefined,
    }
    const read: Uint8Array[] = []
    for await (const piece of readFile(source, root)) read.push(new Uint8Array(piece))
    expect(Buffer.concat(read).equals(Buffer.concat(expected))).toBe(true)
  })

  it('returns any range and reads no leaf outside it', async () => {
    await fc.assert(
      fc.asyncProperty(anyFile, fc.nat(), fc.nat(), async ({ profile, length }, a, b) => {
        const bytes = patternOf(length)
        const blocks = createMemoryBlocks()
        const { cid } = await importBytes(bytes, profile, blocks)
        const [fromByte = 0, toByte = 0] = [a % (length + 1), b % (length + 1)].sort((x, y) => x - y)
        blocks.read.length = 0
        expect((await readWhole(blocks, cid, { fromByte, toByte })).equals(bytes.subarray(fromByte, toByte))).toBe(true)
        const leaves =
          fromByte === toByte
            ? 0
            : Math.ceil(toByte / profile.chunkSizeBytes) - Math.floor(fromByte / profile.chunkSizeBytes)
        // Each level above has at most as many nodes as the level below, and the root is always read.
        expect(blocks.read.length).toBeLessThanOrEqual(1 + leaves * 12)
        if (leaves === 0) expect(blocks.read).toHaveLength(1)
        const rawLeaves = blocks.read.filter((one) => one.startsWith('bafkrei'))
        if (length > profile.chunkSizeBytes) expect(rawLeaves.length).toBeLessThanOrEqual(leaves)
      }),
      { numRuns: 200 },
    )
  })

  it('announces to the source what it will read', async () => {
    const blocks = createMemoryBlocks()
    const { cid } = await importBytes(patternOf(1000), { ...importProfiles.v1, chunkSizeBytes: 100 }, blocks)
    const announced: string[][] = []
    const source = {
      get: blocks.get,
      prefetch: (cids: Announced) => void announced.push(cids.slice(0, cids.length).map(String)),
    }
    await collect(readFile(source, cid, { fromByte: 150, toByte: 350 }))
    expect(announced).toEqual([blocks.read.slice(1)])
    expect(announced[0]).toHaveLength(3)
  })

  it('keeps the bytes of unread links only, not decoded ones', async () => {
    const blocks = createMemoryBlocks()
    const leaves = [1, 2, 3].map((length): [CID, number] => [blocks.add(rawCode, patternOf(length)), length])
    const announced: Announced[] = []
    const source = { get: blocks.get, prefetch: (cids: Announced) => void announced.push(cids) }
    const reading = readFile(source, addFile(blocks, leaves))
    await reading.next()
    // It reads its parts from the announced list, which decodes them again each time.
    expect(announced).toHaveLength(1)
    expect(announced[0]).not.toBeInstanceOf(Array)
    expect(announced[0]?.slice(0, 3).map(String)).toEqual(leaves.map(([cid]) => String(cid)))
    expect(await collect(reading)).toHaveLength(2)
  })

  describe('a large file', () => {
    const chunkSizeBytes = 262_144
    const content = patternOf(20 * chunkSizeBytes)
    const importLarge = async () => {
      const blocks = createMemoryBlocks()
      const { cid } = await importBytes(content, { ...importProfiles.v1, maxLinks: 10 }, blocks)
      const announced: string[][] = []
      const source = {
        get: blocks.get,
        prefetch: (cids: Announced) => void announced.push(cids.slice(0, cids.length).map(String)),
      }
      return { blocks, cid, announced, source }
    }

    it('announces the leaves of the next node before the last leaf ahead of it is read', async () => {
      const { blocks, cid, announced, source } = await importLarge()
      blocks.read.length = 0
      expect(Buffer.concat(await collect(readFile(source, cid))).equals(content)).toBe(true)
      const [nodes = [], first = [], second = []] = announced
      expect([nodes.length, first.length, second.length]).toEqual([2, 10, 10])
      expect(blocks.read).toEqual([`${cid}`, nodes[0], nodes[1], ...first, ...second])
    })

    it('is read in the order of its tree from a source that cannot read ahead', async () => {
      const { blocks, cid, announced, source } = await importLarge()
      await collect(readFile(source, cid))
      const [nodes = [], first = [], second = []] = announced
      blocks.read.length = 0
      await collect(readFile({ get: blocks.get }, cid))
      expect(blocks.read).toEqual([`${cid}`, nodes[0], ...first, nodes[1], ...second])
    })

    it('fails at a node that is missing, after all bytes before it', async () => {
      const { blocks, cid, announced, source } = await importLarge()
      await collect(readFile(source, cid))
      const missing = new UnixfsError('MISSING_BLOCK', 'Not here')
      const without = {
        ...source,
        get: async (wanted: CID) => (`${wanted}` === announced[0]?.[1] ? Promise.reject(missing) : blocks.get(wanted)),
      }
      const received: Uint8Array[] = []
      const reading = (async () => {
        for await (const piece of readFile(without, cid)) received.push(piece)
      })()
      await expect(reading).rejects.toBe(missing)
      expect(Buffer.concat(received).equals(content.subarray(0, 10 * chunkSizeBytes))).toBe(true)
      // A reader that stops before the failure does not see it, and the failure is handled.
      for await (const piece of readFile(without, cid)) {
        expect(piece).toHaveLength(chunkSizeBytes)
        break
      }
    })
  })

  it('reads nodes with data of their own, blocks inside CIDs, and children without bytes', async () => {
    const blocks = createMemoryBlocks()
    const empty = blocks.add(rawCode, noName)
    const inlined = createIdentityCid(rawCode, Uint8Array.of(3, 4))
    const inner = addFile(blocks, [
      [empty, 0],
      [inlined, 2],
      [inlined, 2],
    ])
    // Type 2, data 1 2, size 6, one child of 4.
    const links = [{ cid: inner.bytes, name: noName, sizeBytes: 4 }]
    const root = blocks.add(dagPbCode, encodeDagPb(links, Uint8Array.of(8, 2, 0x12, 2, 1, 2, 0x18, 6, 0x20, 4)))
    expect([...(await readWhole(blocks, root))]).toEqual([1, 2, 3, 4, 3, 4])
    expect([...(await readWhole(blocks, root, { fromByte: 1, toByte: 5 }))]).toEqual([2, 3, 4, 3])
    expect(blocks.read).not.toContain(String(empty))
  })

  it('rejects ranges outside the file', async () => {
    const blocks = createMemoryBlocks()
    const { cid } = await importBytes(patternOf(10), importProfiles.v1, blocks)
    const bad = [
      { fromByte: 11 },
      { toByte: 11 },
      { fromByte: -1 },
      { fromByte: 5, toByte: 4 },
      { fromByte: 0.5 },
      { toByte: Number.NaN },
    ]
    for (const range of bad) await expect(readWhole(blocks, cid, range)).rejects.toMatchObject({ code: 'BAD_RANGE' })
    expect(await readWhole(blocks, cid, { fromByte: 10 })).toHaveLength(0)
  })

  it('stops on abort, between any two blocks', async () => {
    const blocks = createMemoryBlocks()
    const { cid } = await importBytes(patternOf(1000), { ...importProfiles.v1, chunkSizeBytes: 100 }, blocks)
    const stop = new AbortController()
    const reading = readFile(blocks, cid, { signal: stop.signal })
    await reading.next()
    stop.abort()
    await expect(reading.next()).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
  })
})

describe('hostile files', () => {
  it('with false sizes are an error, never wrong bytes', async () => {
    const blocks = createMemoryBlocks()
    const leaf = blocks.add(rawCode, patternOf(10))
    for (const claimed of [9, 11, 2 ** 40]) {
      await expect(readWhole(blocks, addFile(blocks, [[leaf, claimed]]))).rejects.toMatchObject({ code: 'BAD_BLOCK' })
      const deep = addFile(blocks, [[addFile(blocks, [[leaf, 10]]), claimed]])
      await expect(readWhole(blocks, deep)).rejects.toMatchObject({ code: 'BAD_BLOCK' })
    }
    await expect(readWhole(blocks, addFile(blocks, [[leaf, 10]], 11))).rejects.toMatchObject({ code: 'BAD_BLOCK' })
    const twoSizes = encodeDagPb([{ cid: leaf.bytes, name: noName, sizeBytes: 10 }], encodeFileData(20, [10, 10]))
    await expect(readWhole(blocks, blocks.add(dagPbCode, twoSizes))).rejects.toMatchObject({ code: 'BAD_BLOCK' })
    const beyond = addFile(
      blocks,
      [
        [leaf, Number.MAX_SAFE_INTEGER],
        [leaf, Number.MAX_SAFE_INTEGER],
      ],
      20,
    )
    await expect(readWhole(blocks, beyond)).rejects.toMatchObject({ code: 'BAD_BLOCK' })
  })

  it('of too many levels are rejected', async () => {
    const blocks = createMemoryBlocks()
    let cid = blocks.add(rawCode, patternOf(10))
    for (let level = 0; level < 32; level++) cid = addFile(blocks, [[cid, 10]])
    expect(await readWhole(blocks, cid)).toHaveLength(10)
    await expect(readWhole(blocks, addFile(blocks, [[cid, 10]]))).rejects.toMatchObject({ code: 'TOO_DEEP' })
  })

  it('of a petabyte made of twenty blocks report their size and can be read by range', async () => {
    const blocks = createMemoryBlocks()
    const leaf = patternOf(1024)
    let cid = blocks.add(rawCode, leaf)
    let size = 1024
    for (let level = 0; level < 20; level++) {
      cid = addFile(blocks, [
        [cid, size],
        [cid, size],
        [cid, size],
        [cid, size],
      ])
      size *= 4
    }
    expect((await statNode(blocks, cid)).fileSizeBytes).toBe(size)
    blocks.read.length = 0
    const range = { fromByte: size / 2 + 5, toByte: size / 2 + 2000 }
    const expected = Buffer.concat([leaf, leaf]).subarray(5, 2000)
    expect((await readWhole(blocks, cid, range)).equals(expected)).toBe(true)
    expect(blocks.read.length).toBeLessThan(30)
  })

  it('that are or contain another type are rejected', async () => {
    const blocks = createMemoryBlocks()
    const folder = blocks.add(dagPbCode, encodeDagPb([], Uint8Array.of(8, 1)))
    const link = blocks.add(dagPbCode, encodeDagPb([], encodeInlineData(unixfsTypes.symlink, patternOf(3))))
    const plain = blocks.add(dagPbCode, noName)
    for (const cid of [folder, link, plain]) {
      await expect(readWhole(blocks, cid)).rejects.toMatchObject({ code: 'NOT_A_FILE' })
      await expect(readWhole(blocks, addFile(blocks, [[cid, 3]]))).rejects.toMatchObject({ code: 'NOT_A_FILE' })
    }
    const unknown = createIdentityCid(0x78, patternOf(3))
    await expect(readWhole(blocks, unknown)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    const missing = addFile(blocks, [[createMemoryBlocks().add(rawCode, patternOf(7)), 7]])
    await expect(readWhole(blocks, missing)).rejects.toMatchObject({ code: 'MISSING_BLOCK' })
  })

  it('that contain themselves end with an error even if a source vouches for them', async () => {
    const blocks = createMemoryBlocks()
    const other = addFile(blocks, [])
    const node = addFile(blocks, [[other, 10]])
    const looping = { get: () => blocks.get(node) }
    await expect(collect(readFile(looping, node))).rejects.toMatchObject({ code: 'TOO_DEEP' })
  })
})
