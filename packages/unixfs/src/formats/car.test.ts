import { CarReader, CarWriter } from '@ipld/car'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { UnixfsError } from '../unixfs-error.ts'
import { type CarLimits, encodeCarFrame, encodeCarHeader, readCar } from './car.ts'

type Block = { cid: CID; bytes: Uint8Array }

async function createBlock(bytes: Uint8Array, code = 0x55): Promise<Block> {
  return { cid: CID.createV1(code, await sha256.digest(bytes)), bytes }
}

function joinCar(roots: CID[], blocks: Block[]): Uint8Array {
  return Buffer.concat([
    encodeCarHeader(roots),
    ...blocks.flatMap(({ cid, bytes }) => [encodeCarFrame(cid, bytes.length), bytes]),
  ])
}

/** Chunks that are freed on the next request. */
async function* inPieces(bytes: Uint8Array, size = bytes.length || 1): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    const piece = new Uint8Array(bytes.subarray(at, at + size))
    yield piece
    piece.buffer.transfer(0)
  }
}

async function readWhole(bytes: Uint8Array, size?: number, limits?: CarLimits) {
  const car = await readCar(inPieces(bytes, size), limits)
  const blocks = []
  for await (const block of car.blocks) blocks.push({ ...block, bytes: new Uint8Array(block.bytes) })
  return { ...car, blocks }
}

function wrapInCarV2(inner: Uint8Array, padding: number, trailer: Uint8Array): Uint8Array {
  const header = new Uint8Array(40)
  const view = new DataView(header.buffer)
  view.setBigUint64(16, BigInt(51 + padding), true)
  view.setBigUint64(24, BigInt(inner.length), true)
  const pragma = Uint8Array.of(0x0a, 0xa1, 0x67, 0x76, 0x65, 0x72, 0x73, 0x69, 0x6f, 0x6e, 0x02)
  return Buffer.concat([pragma, header, new Uint8Array(padding), inner, trailer])
}

const blocks = await Promise.all(
  [new Uint8Array(0), Uint8Array.of(1), new Uint8Array(300).fill(7), new Uint8Array(70_000).fill(9)].map((bytes) =>
    createBlock(bytes),
  ),
)
const v0 = { cid: CID.createV0(await sha256.digest(Uint8Array.of(2))), bytes: Uint8Array.of(2) }
const inlined = { cid: CID.createV1(0x55, identity.digest(Uint8Array.of(5, 6))), bytes: Uint8Array.of(5, 6) }
const all = [...blocks, v0, inlined]
const cids = all.map(({ cid }) => cid)

describe('writing a CAR', () => {
  it('gives bytes that @ipld/car reads', async () => {
    const car = await CarReader.fromBytes(joinCar([v0.cid, ...cids.slice(0, 1)], all))
    expect((await car.getRoots()).map(String)).toEqual([v0.cid, cids[0]].map(String))
    const read = []
    for await (const block of car.blocks()) read.push({ cid: String(block.cid), bytes: Buffer.from(block.bytes) })
    expect(read).toEqual(all.map(({ cid, bytes }) => ({ cid: String(cid), bytes: Buffer.from(bytes) })))
  })

  it('gives the bytes that @ipld/car writes, for any number of roots', async () => {
    for (const count of [0, 1, 2, 23, 24, 255, 256, 300]) {
      const roots = Array.from({ length: count }, (_, index) => cids[index % cids.length] ?? v0.cid)
      const { writer, out } = CarWriter.create(roots)
      const parts: Uint8Array[] = []
      const collecting = (async () => {
        for await (const part of out) parts.push(part)
      })()
      for (const block of all) await writer.put(block)
      await writer.close()
      await collecting
      expect(Buffer.concat(parts).equals(joinCar(roots, all))).toBe(true)
    }
  })
})

describe('reading a CAR', () => {
  it('returns roots, blocks and their places, however the bytes are split', async () => {
    const bytes = joinCar([v0.cid], all)
    for (const size of [1, 2, 37, 4096, bytes.length]) {
      const car = await readWhole(bytes, size)
      expect(car.roots.map(String)).toEqual([String(v0.cid)])
      expect(car.blocks.map(({ cid }) => String(cid))).toEqual(cids.map(String))
      for (const [index, block] of car.blocks.entries()) {
        expect(Buffer.from(block.bytes).equals(all[index]?.bytes ?? Buffer.from('none'))).toBe(true)
        expect(Buffer.from(bytes.subarray(block.offset, block.offset + block.length)).equals(block.bytes)).toBe(true)
        expect(block.frameOffset + encodeCarFrame(block.cid, block.length).length).toBe(block.offset)
      }
    }
  })

  it('reads the CARv1 inside a CARv2 and ignores padding and index', async () => {
    const inner = joinCar([v0.cid], all)
    const bytes = wrapInCarV2(inner, 13, new Uint8Array(99).fill(255))
    for (const size of [1, 50, bytes.length]) {
      const car = await readWhole(bytes, size)
      expect(car.version).toBe(2)
      expect(car.blocks.map(({ cid }) => String(cid))).toEqual(cids.map(String))
      for (const { offset, length, bytes: payload } of car.blocks) {
        expect(Buffer.from(bytes.subarray(offset, offset + length)).equals(payload)).toBe(true)
      }
    }
  })

  it('rejects a CAR cut at any byte that is not the end of a block', async () => {
    const small = [blocks[1], v0, inlined, blocks[0]].filter((block) => block !== undefined)
    const whole = joinCar([v0.cid], small)
    const ends = new Set([encodeCarHeader([v0.cid]).length])
    let end = encodeCarHeader([v0.cid]).length
    for (const { cid, bytes } of small) {
      end += encodeCarFrame(cid, bytes.length).length + bytes.length
      ends.add(end)
    }
    for (let length = 0; length < whole.length; length++) {
      const read = readWhole(whole.subarray(0, length), 7)
      if (ends.has(length)) await expect(read).resolves.toBeDefined()
      else await expect(read, `cut at ${length}`).rejects.toMatchObject({ code: 'BAD_CAR' })
    }
  })

  it('rejects a CARv2 cut anywhere in its inner CAR', async () => {
    const inner = joinCar([v0.cid], [v0, inlined])
    const bytes = wrapInCarV2(inner, 3, new Uint8Array(0))
    for (let length = 0; length < bytes.length; length++) {
      await expect(readWhole(bytes.subarray(0, length), 9), `cut at ${length}`).rejects.toMatchObject({
        code: 'BAD_CAR',
      })
    }
  })

  it('limits the header, a block, the number of blocks and the whole size', async () => {
    const bytes = joinCar(cids, all)
    await expect(readWhole(bytes, 100, { maxHeaderBytes: 100 })).rejects.toMatchObject({ code: 'BAD_CAR' })
    await expect(readWhole(bytes, 100, { maxBlockBytes: 69_999 })).rejects.toMatchObject({ code: 'BAD_CAR' })
    await expect(readWhole(bytes, 100, { maxBlockBytes: 70_000 })).resolves.toBeDefined()
    await expect(readWhole(bytes, 100, { maxBlocks: all.length - 1 })).rejects.toMatchObject({ code: 'BAD_CAR' })
    await expect(readWhole(bytes, 100, { maxBlocks: all.length })).resolves.toBeDefined()
    await expect(readWhole(bytes, 100, { maxCarBytes: bytes.length - 1 })).rejects.toMatchObject({ code: 'BAD_CAR' })
    await expect(readWhole(bytes, 100, { maxCarBytes: bytes.length })).resolves.toBeDefined()
  })

  it('never allocates what a length claims beyond the limit', async () => {
    const huge = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f)
    await expect(readWhole(huge)).rejects.toMatchObject({ code: 'BAD_CAR', details: { offset: 0 } })
    const afterHeader = Buffer.concat([encodeCarHeader([v0.cid]), huge])
    const offset = encodeCarHeader([v0.cid]).length
    await expect(readWhole(afterHeader)).rejects.toMatchObject({ code: 'BAD_CAR', details: { offset } })
  })

  it('rejects zero and overlong lengths, bad CIDs and bad headers', async () => {
    const header = encodeCarHeader([v0.cid])
    const bad: Uint8Array[] = [
      Buffer.concat([header, Uint8Array.of(0)]),
      Buffer.concat([header, Uint8Array.of(0x80, 0)]),
      Buffer.concat([header, Uint8Array.of(3, 9, 9, 9)]),
      Buffer.concat([header, Uint8Array.of(5, 0x12, 0x03, 1, 2, 3)]),
      Uint8Array.of(1, 0xa0),
      Uint8Array.of(0),
      Buffer.from('<html>not a car</html>'),
    ]
    for (const bytes of bad) await expect(readWhole(bytes)).rejects.toMatchObject({ code: 'BAD_CAR' })
  })

  it('fails with BAD_CAR or reads, whatever byte is changed', async () => {
    const bytes = joinCar([v0.cid, inlined.cid], [v0, inlined])
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.nat(255),
        fc.integer({ min: 1, max: 50 }),
        async (at, value, size) => {
          const changed = Uint8Array.from(bytes)
          changed[at] = value
          await readWhole(changed, size).catch((error: unknown) => {
            if (!UnixfsError.is(error, 'BAD_CAR')) throw error
          })
        },
      ),
      { numRuns: 500 },
    )
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (noise) => {
        await readWhole(noise).catch((error: unknown) => {
          if (!UnixfsError.is(error, 'BAD_CAR')) throw error
        })
      }),
    )
  })

  it('closes its source when reading stops early', async () => {
    let closed = 0
    async function* source() {
      try {
        yield joinCar([v0.cid], all)
      } finally {
        closed++
      }
    }
    const first = await readCar(source())
    for await (const _ of first.blocks) break
    const second = await readCar(source())
    await second.close()
    expect(closed).toBe(2)
  })
})
