import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { importProfiles } from '@cairn/unixfs'
import { CarBlockIterator } from '@ipld/car'
import fc from 'fast-check'
import { base58btc } from 'multiformats/bases/base58'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashSha256 } from '../../services/storage/src/packs/packs.ts'
import { createPackedGateway, type PackedGateway } from './packed-gateway.ts'

/** Bytes without a pattern that could hide a shift. */
function makeBytes(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let state = seed
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    bytes[at] = state >>> 16
  }
  return bytes
}

/** Flips one bit of a block, wherever its bytes lie in the pack files. */
async function damage({ folder }: PackedGateway, block: Uint8Array): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path)
    const at = bytes.indexOf(block)
    if (at < 0) continue
    bytes.writeUInt8(bytes.readUInt8(at + 7) ^ 4, at + 7)
    await writeFile(path, bytes)
    return
  }
  throw new Error('The block is in no file')
}

let gateway: PackedGateway
beforeAll(async () => {
  gateway = await createPackedGateway()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}${path}`, { headers, redirect: 'manual' })

describe('a large file over packs on disk', () => {
  const bytes = makeBytes(9_000_001, 7)

  it.each(['v0', 'v1', 'unixfs-v1-2025'] as const)('is returned whole, and in every part (%s)', async (name) => {
    const cid = await gateway.addFile(bytes, importProfiles[name])
    const whole = await get(`/ipfs/${cid}`)
    expect(whole.headers.get('content-length')).toBe(String(bytes.length))
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    const ends = fc.tuple(fc.nat(bytes.length - 1), fc.nat(bytes.length - 1))
    await fc.assert(
      fc.asyncProperty(ends, async ([a, b]) => {
        const start = Math.min(a, b)
        const end = Math.max(a, b)
        const part = await get(`/ipfs/${cid}`, { range: `bytes=${start}-${end}` })
        expect(part.status).toBe(206)
        expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(start, end + 1))).toBe(true)
      }),
      { numRuns: 15 },
    )
  })

  it('is returned correctly to many readers at once, fast and slow', async () => {
    const cid = await gateway.addFile(bytes)
    const readSlowly = async () => {
      const answer = await get(`/ipfs/${cid}`)
      const pieces: Uint8Array[] = []
      for await (const piece of answer.body ?? []) {
        pieces.push(piece)
        if (pieces.length % 16 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      return Buffer.concat(pieces).equals(bytes)
    }
    const readers = Array.from({ length: 12 }, readSlowly)
    expect(await Promise.all(readers)).toEqual(readers.map(() => true))
  })

  it('is cut where a bit flipped on disk, and reported to the operator', async () => {
    const other = makeBytes(6_000_000, 99)
    const cid = await gateway.addFile(other)
    await damage(gateway, other.subarray(15 * 262_144, 16 * 262_144))
    gateway.packs.evict()
    const answer = await get(`/ipfs/${cid}`)
    expect(answer.status).toBe(200)
    const pieces: Uint8Array[] = []
    const read = async () => {
      for await (const piece of answer.body ?? []) pieces.push(piece)
    }
    await expect(read()).rejects.toThrow()
    const got = Buffer.concat(pieces)
    expect(got.length).toBeLessThanOrEqual(15 * 262_144)
    expect(got.equals(other.subarray(0, got.length))).toBe(true)
    expect(gateway.events.some((event) => event.type === 'block-damaged')).toBe(true)
    const part = await get(`/ipfs/${cid}`, { range: `bytes=${15 * 262_144}-${15 * 262_144 + 9}` })
    expect(part.status).toBe(500)
    expect(part.headers.get('x-cairn-code')).toBe('DATA_DAMAGED')
    const before = await get(`/ipfs/${cid}`, { range: 'bytes=0-99' })
    expect(Buffer.from(await before.arrayBuffer()).equals(other.subarray(0, 100))).toBe(true)
  })
})

describe('folders over packs on disk', () => {
  it('of 10,000 files are listed, walked and packed, sharded or not', async () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `file ${at}.txt`)
    const root = await gateway.addFolder(Object.fromEntries(names.map((name) => [name, `content of ${name}`])))
    const listed: string[] = []
    for (let page = 1; listed.length < names.length; page++) {
      const text = await (await get(`/ipfs/${root}/?page=${page}`)).text()
      const shown = [...text.matchAll(/>(file \d+\.txt)</g)].map(([, name = '']) => name)
      expect(shown).not.toEqual([])
      listed.push(...shown)
    }
    expect(listed.sort()).toEqual(names.sort())
    for (const name of ['file 0.txt', 'file 5555.txt', 'file 9999.txt']) {
      expect(await (await get(`/ipfs/${root}/${encodeURIComponent(name)}`)).text()).toBe(`content of ${name}`)
    }
    const car = await get(`/ipfs/${root}?format=car`)
    const seen = new Set<string>()
    for await (const { cid, bytes } of await CarBlockIterator.fromBytes(new Uint8Array(await car.arrayBuffer()))) {
      expect(Buffer.from(hashSha256(bytes)).equals(cid.multihash.digest)).toBe(true)
      seen.add(cid.toString(base58btc.encoder))
    }
    expect(seen.size).toBeGreaterThan(10_000)
  })
})
