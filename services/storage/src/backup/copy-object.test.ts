import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CairnError, MIB } from '@cairn/protocol'
import { type ObjectStore, openFileStore } from '@cairn/service/objects'
import { encodeCarFrame, encodeCarHeader } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashSha256 } from '../packs/packs.ts'
import { copyObject, inspectObject } from './copy-object.ts'

let folder = ''
let from: ObjectStore
let to: ObjectStore
const key = 'packs/00000/0000000000000001.car'
let content = Buffer.alloc(0)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-copies-'))
  from = await openFileStore(join(folder, 'from'))
  to = await openFileStore(join(folder, 'to'))
  const blocks = Array.from({ length: 5 }, () => new Uint8Array(randomBytes(MIB / 2)))
  const frames = blocks.map((bytes) => {
    const cid = CID.createV1(0x55, create(0x12, hashSha256(bytes)))
    return { cid, bytes: Buffer.concat([encodeCarFrame(cid, bytes.length), bytes]) }
  })
  const roots = frames.slice(0, 1).map(({ cid }) => cid)
  content = Buffer.concat([encodeCarHeader(roots), ...frames.map(({ bytes }) => bytes)])
  const writer = await from.create(key)
  await writer.append([content])
  await writer.finish()
})
afterAll(async () => {
  await from?.close()
  await to?.close()
  await rm(folder, { recursive: true, force: true })
})

/** A disk that cannot read some bytes, as the store reports it. */
function failAt(start: number, end: number): ObjectStore {
  return {
    ...from,
    async read(name, at, length) {
      if (at < end && at + length > start)
        throw new CairnError('DATA_DAMAGED', { message: 'A stored object cannot be read' })
      return from.read(name, at, length)
    },
  }
}

test('copies an object with unreadable sectors without them, and marks it as damaged', async () => {
  expect(await inspectObject(from, key)).toMatchObject({ bytes: content.length, isSound: true })
  const failing = failAt(MIB + 5_000, MIB + 9_000)
  const read = await copyObject({ from: failing, to }, key)
  expect(read).toMatchObject({ bytes: content.length, isSound: false })
  const copied = Buffer.from(await readFile(join(folder, 'to', 'objects', key)))
  const expected = Buffer.from(content)
  expected.fill(0, MIB + 4_096, MIB + 12_288)
  expect(copied.equals(expected)).toBe(true)
  expect(await inspectObject(failing, key)).toEqual(read)
  await to.remove(key)
})

test('does not copy an object of which the disk reads too little, and leaves nothing', async () => {
  const failing = failAt(0, MIB)
  expect(await copyObject({ from: failing, to }, key)).toBeUndefined()
  expect(await inspectObject(failing, key)).toBeUndefined()
  expect(await Array.fromAsync(to.list(''))).toEqual([])
})

test('other errors of the source end the copy', async () => {
  const away: ObjectStore = {
    ...from,
    read: () => Promise.reject(new CairnError('UNAVAILABLE')),
  }
  await expect(copyObject({ from: away, to }, key)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await Array.fromAsync(to.list(''))).toEqual([])
})
