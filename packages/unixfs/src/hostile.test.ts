import { CarReader } from '@ipld/car'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { verifyBlock } from './cids/verify.ts'
import { encodeCarFrame, encodeCarHeader, readCar } from './formats/car.ts'
import { decodeNode } from './formats/node.ts'
import {
  collect,
  createMemoryBlocks,
  importBytes,
  type MemoryBlocks,
  patternOf,
  sha256,
} from './memory-blocks.suite.ts'
import { listDirectory } from './reading/list-directory.ts'
import { readFile } from './reading/read-file.ts'
import { resolvePath } from './reading/resolve-path.ts'
import { statNode } from './reading/stat-node.ts'
import { verifyDag } from './reading/verify-dag.ts'
import { walkDag } from './reading/walk-dag.ts'
import { UnixfsError } from './unixfs-error.ts'
import { createDirectoryTree } from './writing/directory-tree.ts'
import { type ImportProfile, importProfiles } from './writing/profiles.ts'

/** Factor for the number of random cases: 20 in the long ring. */
const fuzz = Number(process.env['CAIRN_TEST_FUZZ'] ?? 1)

const profiles: ImportProfile[] = [importProfiles.v0, importProfiles.v1].map((base) => ({
  ...base,
  chunkSizeBytes: 20,
  maxLinks: 4,
  hamtThresholdBytes: 300,
}))

async function importAll(profile: ImportProfile) {
  const blocks = createMemoryBlocks()
  const tree = createDirectoryTree({ profile, hash: sha256, sink: blocks })
  for (let index = 0; index < 25; index++)
    tree.addFile(`f${index}`, await importBytes(patternOf(index), profile, blocks))
  const file = await importBytes(patternOf(300), profile, blocks)
  tree.addFile('file', file)
  const { root } = await tree.finish()
  return { blocks, file: file.cid, root: root.cid }
}

const imported = await Promise.all(profiles.map(importAll))

/** The blocks with one changed, from a source that does not check hashes. */
function damage(from: MemoryBlocks, block: number, changes: [number, number][], cut: number): MemoryBlocks {
  const damaged = createMemoryBlocks()
  for (const [cid, bytes] of from.blocks) damaged.blocks.set(cid, bytes)
  const [cid, bytes = patternOf(0)] = [...from.blocks][block % from.blocks.size] ?? []
  const changed = bytes.slice(0, Math.max(0, bytes.length - cut))
  for (const [at, value] of changes) if (changed.length > 0) changed[at % changed.length] = value
  damaged.blocks.set(cid ?? '', changed)
  return damaged
}

async function expectOnlyUnixfsErrors(action: () => Promise<unknown>): Promise<void> {
  try {
    await action()
  } catch (error) {
    if (!UnixfsError.is(error)) throw error
  }
}

describe('damaged, unverified blocks', () => {
  it('return the predicted number of bytes or an error of ours, and never hang', async () => {
    const anyDamage = fc.record({
      which: fc.constantFrom(...imported),
      block: fc.nat(),
      changes: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
      cut: fc.nat(10),
    })
    await fc.assert(
      fc.asyncProperty(anyDamage, async ({ which, block, changes, cut }) => {
        const blocks = damage(which.blocks, block, changes, cut)
        await expectOnlyUnixfsErrors(async () => {
          const { fileSizeBytes } = await statNode(blocks, which.file)
          let length = 0
          for await (const piece of readFile(blocks, which.file)) length += piece.length
          expect(length).toBe(fileSizeBytes)
        })
        await expectOnlyUnixfsErrors(() => collect(readFile(blocks, which.file, { fromByte: 33, toByte: 150 })))
        await expectOnlyUnixfsErrors(() => collect(listDirectory(blocks, which.root)))
        await expectOnlyUnixfsErrors(() => resolvePath(blocks, which.root, ['f7']))
        await expectOnlyUnixfsErrors(() => collect(walkDag(blocks, which.root)))
        await expectOnlyUnixfsErrors(() => collect(walkDag(blocks, which.root, { dups: true, maxBlocks: 500 })))
        await expectOnlyUnixfsErrors(() => verifyDag(blocks, [which.root]))
      }),
      { numRuns: 200 * fuzz },
    )
  })

  it('are decoded or rejected with BAD_BLOCK or UNSUPPORTED, for any codec and any bytes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0x55, 0x70, 0x71, 0x0129, 0x0200, 0x51, 0x78),
        fc.uint8Array({ maxLength: 100 }),
        (code, bytes) => {
          const cid = CID.createV1(code, imported[0]?.root.multihash ?? CID.parse('bafkqaaa').multihash)
          try {
            decodeNode(cid, bytes)
          } catch (error) {
            if (!UnixfsError.is(error, 'BAD_BLOCK') && !UnixfsError.is(error, 'UNSUPPORTED')) throw error
          }
        },
      ),
      { numRuns: 1500 * fuzz },
    )
  })
})

describe('a CAR of a walk', () => {
  it('is complete, correct and readable by @ipld/car; one with a changed byte in a block is not correct', async () => {
    for (const { blocks, root } of imported) {
      const parts = [encodeCarHeader([root])]
      for await (const { cid, bytes } of walkDag(blocks, root)) parts.push(encodeCarFrame(cid, bytes.length), bytes)
      const car = Buffer.concat(parts)
      const read = await CarReader.fromBytes(car)
      expect((await collect(read.cids())).map(String).sort()).toEqual(blocks.toCids())

      const received = createMemoryBlocks()
      const reading = await readCar(
        (async function* () {
          yield car
        })(),
      )
      let last = 0
      for await (const { cid, bytes, offset } of reading.blocks) {
        await verifyBlock(cid, bytes, sha256)
        await received.put(cid, bytes)
        last = offset
      }
      expect(await verifyDag(received, reading.roots)).toMatchObject({ blockCount: blocks.blocks.size })

      car[last] = (car[last] ?? 0) ^ 1
      const forged = await readCar(
        (async function* () {
          yield car
        })(),
      )
      const check = async () => {
        for await (const { cid, bytes } of forged.blocks) await verifyBlock(cid, bytes, sha256)
      }
      await expect(check()).rejects.toMatchObject({ code: 'HASH_MISMATCH' })
    }
  })
})
