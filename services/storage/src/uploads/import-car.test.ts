import { hash } from 'node:crypto'
import { CairnError, KIB, MIB } from '@cairn/protocol'
import {
  type BlockSink,
  createFileImporter,
  encodeCarFrame,
  encodeCarHeader,
  importProfiles,
  readFile,
} from '@cairn/unixfs'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../../../../tests/code-of.ts'
import { createRuleSet } from '../moderation/match-rules.ts'
import { createDenylist, parseDenylist } from '../moderation/moderation.ts'
import { freedFeedFrom } from '../multipart/freed-feed.fixture.ts'
import { createPartMemory } from '../resources/part-memory.ts'
import { importCar } from './import-car.ts'
import { openTestContext, type TestContext, testAddress } from './open-test-context.suite.ts'
import { multipartSource } from './part-source.ts'
import { readUploadSettings } from './upload-settings.ts'

let test: TestContext

beforeEach(async () => {
  test = await openTestContext(64 * MIB)
})
afterEach(() => test[Symbol.asyncDispose]())

type Block = { cid: CID; bytes: Uint8Array }

const sha256 = (bytes: Uint8Array) => hash('sha256', bytes, 'buffer')

function block(code: number, bytes: Uint8Array): Block {
  return { cid: CID.createV1(code, create(0x12, sha256(bytes))), bytes }
}

const raw = (bytes: Uint8Array) => block(0x55, bytes)

function varint(value: number): number[] {
  const out: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return [...out, left]
    out.push((left % 128) | 128)
  }
}

const field = (number: number, bytes: Uint8Array | number[]) => [(number << 3) | 2, ...varint(bytes.length), ...bytes]

/** Encodes a dag-pb node by hand, so that its sizes can be wrong. */
function node(links: { cid: CID; name?: string; size?: number }[], data: number[]): Block {
  const bytes: number[] = []
  for (const { cid, name = '', size = 0 } of links) {
    bytes.push(...field(2, [...field(1, cid.bytes), ...field(2, Buffer.from(name)), 0x18, ...varint(size)]))
  }
  return block(0x70, Uint8Array.from([...bytes, ...field(1, data)]))
}

const directory = (links: { cid: CID; name?: string }[]) => node(links, [8, 1])
const file = (children: { cid: CID; size: number }[], total = children.reduce((sum, { size }) => sum + size, 0)) =>
  node(children, [8, 2, 0x18, ...varint(total), ...children.flatMap(({ size }) => [0x20, ...varint(size)])])

function car(roots: CID[], blocks: Block[]): Buffer {
  return Buffer.concat([
    encodeCarHeader(roots),
    ...blocks.flatMap(({ cid, bytes }) => [encodeCarFrame(cid, bytes.length), bytes]),
  ])
}

function importBytes(bytes: Uint8Array, name = 'x.car', pieceBytes = 65_536, context = test.context) {
  const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--b--')])
  const source = (async function* () {
    for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes)
  })()
  return importCar(context, testAddress, multipartSource(freedFeedFrom(source), 'b', body.length), {
    isKubo: false,
    ...readUploadSettings({}, 1),
    signal: new AbortController().signal,
  })
}

/** Encodes a file as our own importer does. */
async function importedFile(bytes: Uint8Array): Promise<{ root: CID; blocks: Block[] }> {
  const blocks: Block[] = []
  const sink: BlockSink = { put: (cid, block) => void blocks.push({ cid, bytes: Uint8Array.from(block) }) }
  const importer = createFileImporter({ profile: importProfiles.v1, hash: sha256, sink })
  await importer.write(bytes)
  return { root: (await importer.finish()).cid, blocks }
}

const nothing = { uploads: 0, packs: 0, blocks: 0, reservations: 0, objects: [] }
const leaf = raw(Buffer.from('leaf'))

describe('a CAR', () => {
  it('is kept under its root, in any order of its blocks and however it is cut', async () => {
    const content = Buffer.alloc(2 * MIB + 5, 'cairn stones')
    const { root, blocks } = await importedFile(content)
    const bytes = car([root], [...blocks].reverse())
    const { roots } = await importBytes(bytes, 'big.bin.car', 1000)
    expect(roots).toMatchObject([{ Name: 'big.bin', Hash: root.toString() }])
    const pieces: Uint8Array[] = []
    for await (const piece of readFile(test.context.packs, root)) pieces.push(Buffer.from(piece))
    expect(Buffer.concat(pieces).equals(content)).toBe(true)
    expect(await test.account()).toEqual({ used: content.length, reserved: 0, uploads: 1 })
    expect(await test.context.db.read.selectFrom('upload').select(['kind', 'size_bytes']).execute()).toEqual([
      { kind: 'car', size_bytes: content.length },
    ])
  })

  it('can omit stored content, and then keeps it from being removed', async () => {
    await importBytes(car([leaf.cid], [leaf]))
    const folder = directory([{ cid: leaf.cid, name: 'a' }])
    const { roots } = await importBytes(car([folder.cid], [folder]))
    expect(roots[0]?.Hash).toBe(folder.cid.toString())
    const links = await test.context.db.read.selectFrom('upload_pack').selectAll().execute()
    expect(links).toHaveLength(3)
  })

  it('that names a block by another codec than the links to it says so, and leaves nothing', async () => {
    const child = directory([{ cid: leaf.cid, name: 'a' }])
    const root = directory([{ cid: child.cid, name: 'sub' }])
    const blocks = [root, raw(child.bytes), leaf]
    const refused = importBytes(car([root.cid], blocks))
    await expect(refused).rejects.toMatchObject({
      code: 'INCOMPLETE_DAG',
      message: expect.stringContaining('another codec'),
      details: { cid: `${child.cid}` },
    })
    expect(await test.leftovers()).toEqual(nothing)
    // Where the block is stored already, the links decide how it is read.
    await importBytes(car([child.cid], [child, leaf]))
    const { roots } = await importBytes(car([root.cid], blocks))
    expect(roots[0]?.Hash).toBe(root.cid.toString())
  })

  it('that cannot be recorded is refused for that reason, also if its pack cannot be removed at once', async () => {
    const refuse = async () => Promise.reject(new CairnError('CONFLICT'))
    const fail = async () => Promise.reject(new Error('the disk does not answer'))
    const context = { ...test.context, packs: { ...test.context.packs, lock: refuse, discard: fail } }
    await expect(importBytes(car([leaf.cid], [leaf]), 'x.car', 65_536, context)).rejects.toMatchObject({
      code: 'CONFLICT',
    })
  })

  it('cannot omit stored content that is denied', async () => {
    await importBytes(car([leaf.cid], [leaf]))
    const denylist = createDenylist(undefined)
    denylist.replace(createRuleSet(parseDenylist(`/ipfs/${leaf.cid}`).rules))
    const folder = directory([{ cid: leaf.cid, name: 'a' }])
    const context = { ...test.context, denylist }
    await expect(importBytes(car([folder.cid], [folder]), 'x.car', 65_536, context)).rejects.toMatchObject({
      code: 'CONTENT_DENIED',
    })
  })

  it('that omits more content than its own bytes leaves no reservation', async () => {
    const large = raw(Buffer.alloc(100_000, 1))
    await importBytes(car([large.cid], [large]))
    const folder = directory([{ cid: large.cid, name: 'a' }])
    await importBytes(car([folder.cid], [folder]))
    expect(await test.account()).toEqual({ used: 200_000, reserved: 0, uploads: 2 })
  })

  it('can have several roots, and blocks that lie in CIDs', async () => {
    const inline = CID.createV1(0x55, create(0, Buffer.from('in the CID')))
    const folder = directory([
      { cid: inline, name: 'i' },
      { cid: leaf.cid, name: 'l' },
    ])
    const { roots } = await importBytes(car([folder.cid, leaf.cid], [folder, leaf]))
    expect(roots.map(({ Name }) => Name)).toEqual([folder.cid.toString(), leaf.cid.toString()])
    expect(await test.account()).toEqual({ used: 14 + 4, reserved: 0, uploads: 2 })
  })

  it('is charged for blocks that no root needs', async () => {
    const spare = raw(Buffer.alloc(1000, 1))
    await importBytes(car([leaf.cid], [leaf, spare]))
    expect((await test.account()).used).toBe(1004)
  })

  it('is charged for the files in it however often they share blocks', async () => {
    const twice = file([
      { cid: leaf.cid, size: 4 },
      { cid: leaf.cid, size: 4 },
    ])
    await importBytes(car([twice.cid], [twice, leaf]))
    expect((await test.account()).used).toBe(8)
  })

  it('is charged for what its nodes store beside files: targets of links, names, unknown fields', async () => {
    const bytes = 200_000
    const junk = (fill: number) => Buffer.alloc(bytes, fill)
    const link = node([], [8, 4, ...field(2, junk(97))])
    const names = Array.from({ length: 200 }, (_, at) => ({ cid: link.cid, name: `${at}`.padStart(1000, 'n') }))
    const named = directory(names)
    const empty = node([], [8, 2, 0x18, 0, ...field(9, junk(98))])
    const free = 16 * KIB
    const charges: [Block[], number][] = [
      [[link], link.bytes.length],
      [[named, link], named.bytes.length + names.length * link.bytes.length],
      [[empty], empty.bytes.length],
    ]
    let used = 0
    for (const [blocks, structureBytes] of charges) {
      const [root = leaf] = blocks
      await importBytes(car([root.cid], blocks))
      used += structureBytes - free
      expect(await test.account()).toMatchObject({ used, reserved: 0 })
    }
    // The folder beside files is free, as in an upload of the files.
    const big = raw(Buffer.alloc(bytes))
    const folder = directory([{ cid: big.cid, name: 'f'.repeat(20_000) }])
    await importBytes(car([folder.cid], [folder, big]))
    expect(await test.account()).toMatchObject({ used: used + bytes, reserved: 0 })
  })

  it('is rejected when it is not a CAR, or not whole', async () => {
    const good = car([leaf.cid], [leaf])
    const missing = directory([{ cid: raw(Buffer.from('gone')).cid, name: 'a' }])
    const cases: [string, Uint8Array, string][] = [
      ['empty', Buffer.alloc(0), 'INVALID_CAR'],
      ['text', Buffer.from('hello, I am no CAR'), 'INVALID_CAR'],
      ['cut', good.subarray(0, good.length - 1), 'INVALID_CAR'],
      ['header alone, no roots', Buffer.from(encodeCarHeader([])), 'INVALID_CAR'],
      ['blocks without a root', car([], [leaf]), 'INVALID_CAR'],
      ['root missing', Buffer.from(encodeCarHeader([leaf.cid])), 'INCOMPLETE_DAG'],
      ['child missing', car([missing.cid], [missing]), 'INCOMPLETE_DAG'],
      ['forged', car([leaf.cid], [{ cid: leaf.cid, bytes: Buffer.from('lies') }]), 'BLOCK_HASH_MISMATCH'],
      [
        'forged, of another hash function',
        car([leaf.cid], [{ cid: CID.createV1(0x55, create(0x1e, sha256(leaf.bytes))), bytes: leaf.bytes }]),
        'BLOCK_HASH_MISMATCH',
      ],
      [
        'unsafe hash function',
        car([leaf.cid], [{ cid: CID.createV1(0x55, create(0x22, new Uint8Array(8))), bytes: leaf.bytes }]),
        'UNSUPPORTED_CODEC',
      ],
      [
        'short digest',
        car(
          [leaf.cid],
          [{ cid: CID.createV1(0x55, create(0x12, sha256(leaf.bytes).subarray(0, 19))), bytes: leaf.bytes }],
        ),
        'UNSUPPORTED_CODEC',
      ],
      ['unknown codec', car([leaf.cid], [leaf, block(0x99, Buffer.from('?'))]), 'UNSUPPORTED_CODEC'],
      ['malformed node', car([leaf.cid], [leaf, block(0x70, Buffer.from('not protobuf'))]), 'INVALID_CAR'],
      ['huge header', Buffer.concat([Uint8Array.from(varint(2 ** 31)), Buffer.alloc(100)]), 'INVALID_CAR'],
      ['huge block', car([leaf.cid], [raw(Buffer.alloc(2 * MIB + 1))]), 'INVALID_CAR'],
      ['lying length', Buffer.concat([good, Uint8Array.from([0xff, 0xff, 0x7f])]), 'INVALID_CAR'],
      ['too many roots', Buffer.from(encodeCarHeader(Array.from({ length: 1001 }, () => leaf.cid))), 'INVALID_CAR'],
    ]
    for (const [what, bytes, code] of cases) await expect(codeOf(importBytes(bytes)), what).resolves.toBe(code)
    expect(await test.leftovers()).toEqual(nothing)
    expect(await test.account()).toEqual({ used: 0, reserved: 0, uploads: 0 })
  })

  it('is rejected when its sizes are false', async () => {
    const long = file([{ cid: leaf.cid, size: 2 ** 40 }])
    const inner = file([{ cid: leaf.cid, size: 4 }])
    const outer = file([{ cid: inner.cid, size: 5 }])
    const ofFolder = file([{ cid: directory([]).cid, size: 0 }])
    expect(await codeOf(importBytes(car([long.cid], [long, leaf])))).toBe('INVALID_CAR')
    expect(await codeOf(importBytes(car([outer.cid], [outer, inner, leaf])))).toBe('INVALID_CAR')
    expect(await codeOf(importBytes(car([ofFolder.cid], [ofFolder, directory([])])))).toBe('INVALID_CAR')
  })

  it('is rejected at once when it is a bomb: a pebibyte, a shared grid, a bottomless folder, an endless fan', async () => {
    const zeros = raw(Buffer.alloc(MIB))
    const petabyte = [zeros]
    let size = MIB
    for (let level = 0; level < 3; level++) {
      const child = petabyte.at(-1) ?? zeros
      petabyte.push(file(Array.from({ length: 1024 }, () => ({ cid: child.cid, size }))))
      size *= 1024
    }
    const grid: Block[] = [leaf]
    for (let level = 0; level < 40; level++) {
      const child = grid.at(-1) ?? leaf
      grid.push(
        directory(Array.from({ length: 40 }, (_, index) => ({ cid: child.cid, name: String(index).padStart(2, '0') }))),
      )
    }
    const deep: Block[] = [leaf]
    for (let level = 0; level < 5000; level++) deep.push(directory([{ cid: (deep.at(-1) ?? leaf).cid, name: 'd' }]))
    const fan = node([], [8, 5, 0x28, 0x22, 0x30, ...varint(2 ** 31)])
    const last = (blocks: Block[]) => (blocks.at(-1) ?? leaf).cid
    expect(await codeOf(importBytes(car([last(petabyte)], petabyte)))).toBe('DAG_TOO_DEEP')
    expect(await codeOf(importBytes(car([last(grid)], grid)))).toBe('DAG_TOO_DEEP')
    expect(await codeOf(importBytes(car([last(deep)], deep)))).toBe('DAG_TOO_DEEP')
    expect(await codeOf(importBytes(car([fan.cid], [fan])))).toBe('INVALID_CAR')
    expect(await test.leftovers()).toEqual(nothing)
    expect(await test.account()).toEqual({ used: 0, reserved: 0, uploads: 0 })
  })

  it('counts the memory of its blocks, is rejected beyond the limit, and releases it in every case', async () => {
    const maxBytes = 200_000
    const partMemory = createPartMemory(maxBytes)
    const carOf = (count: number) => {
      const leaves = Array.from({ length: count }, (_, i) => raw(Buffer.from(`leaf ${i}`)))
      const root = directory(leaves.map(({ cid }, i) => ({ cid, name: `${i}`.padStart(5, '0') })))
      return car([root.cid], [root, ...leaves])
    }
    const send = (count: number) => importBytes(carOf(count), 'x.car', 65_536, { ...test.context, partMemory })
    for (let round = 0; round < 3; round++) {
      await expect(send(500)).rejects.toMatchObject({ code: 'DAG_TOO_DEEP', details: { limitBytes: maxBytes / 2 } })
      expect(await send(100)).toMatchObject({ blockCount: 101 })
    }
    for (const upload of [partMemory.open('TOO_MANY_PARTS'), partMemory.open('TOO_MANY_PARTS')]) {
      upload.acquire(maxBytes / 2)
    }
    await expect(send(1)).rejects.toMatchObject({ code: 'OVERLOADED', retryAfterSeconds: 5 })
  })

  it('is answered with an error of ours whatever its bytes are', async () => {
    const good = car([leaf.cid], [directory([{ cid: leaf.cid, name: 'a' }]), leaf])
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 40 }),
        async (changes, pieceBytes) => {
          const bytes = Buffer.from(good)
          for (const [at, value] of changes) bytes[at] = value
          const outcome = await importBytes(bytes, 'x.car', pieceBytes).catch((error: unknown) => error)
          expect(CairnError.is(outcome) ? outcome.code !== 'INTERNAL' : !(outcome instanceof Error)).toBe(true)
        },
      ),
      { numRuns: 200 },
    )
    expect((await test.account()).reserved).toBe(0)
  })
})
