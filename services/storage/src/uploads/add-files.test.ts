import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CairnError, KIB, MIB } from '@cairn/protocol'
import { importProfiles, readFile, resolvePath } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../db/database.ts'
import { freedFeedFrom } from '../multipart/freed-feed.fixture.ts'
import { countTurns } from '../resources/count-turns.fixture.ts'
import { createPartMemory } from '../resources/part-memory.ts'
import { type AddOptions, addFiles } from './add-files.ts'
import { openTestContext, type TestContext, testAddress } from './open-test-context.suite.ts'
import { readUploadSettings } from './upload-settings.ts'

const limitBytes = 20 * MIB
let test: TestContext

beforeEach(async () => {
  test = await openTestContext(limitBytes)
})
afterEach(() => test[Symbol.asyncDispose]())

const options: AddOptions = {
  boundary: 'b',
  bodyBytes: undefined,
  ...readUploadSettings({}, 1),
  onlyHash: false,
  isKubo: false,
}

function part(name: string, content: Uint8Array | string): Buffer {
  const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')])
}

const end = Buffer.from('--b--\r\n')

async function* chunks(body: Buffer, failAt = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 65_536) {
    if (at >= failAt) throw new CairnError('ABORTED')
    yield body.subarray(at, at + 65_536)
  }
}

const add = (body: Buffer, given: Partial<AddOptions> = {}, failAt?: number) =>
  addFiles(test.context, testAddress, freedFeedFrom(chunks(body, failAt)), { ...options, ...given })

async function readBack(cid: string, path: string[] = []): Promise<Buffer> {
  const { packs } = test.context
  const found = await resolvePath(packs, CID.parse(cid), path)
  const pieces: Uint8Array[] = []
  for await (const piece of readFile(packs, found.cid)) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

async function temporaryFiles(): Promise<string[]> {
  return readdir(join(test.home, 'packs', 'tmp'))
}

function fill(sizeBytes: number, seed: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes)
  let state = seed | 1
  for (let at = 0; at + 4 <= sizeBytes; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes.writeUInt32LE(state, at)
  }
  return bytes
}

const nothing = { uploads: 0, packs: 0, blocks: 0, reservations: 0, objects: [] }

describe('adding files', () => {
  it('lets other work run while very many are recorded', async () => {
    const count = 3000
    const { db } = test.context
    let mostTurns = 0
    const counting: Database = {
      ...db,
      write: (unit) =>
        db.write(async (trx) => {
          const { result, turns } = await countTurns(() => unit(trx))
          mostTurns = Math.max(mostTurns, turns)
          return result
        }),
    }
    const body = Buffer.concat([...Array.from({ length: count }, (_, at) => part(`${at}`, '')), end])
    const context = { ...test.context, db: counting }
    const { roots } = await addFiles(context, testAddress, freedFeedFrom(chunks(body)), { ...options, isKubo: true })
    expect(roots).toHaveLength(count)
    expect(mostTurns).toBeGreaterThanOrEqual(count / 200)
    expect(await test.account()).toEqual({ used: 0, reserved: 0, uploads: count })
  })

  it('charges the quota for long names of empty files', async () => {
    const files = (count: number) =>
      Buffer.concat([...Array.from({ length: count }, (_, at) => part(`f/${String(at).padStart(1000, 'n')}`, '')), end])
    await add(files(10))
    expect(await test.account()).toEqual({ used: 0, reserved: 0, uploads: 1 })
    const { roots } = await add(files(1000))
    const structureBytes = Number(roots[0]?.Size)
    expect(structureBytes).toBeGreaterThan(1_000_000)
    expect(await test.account()).toEqual({ used: structureBytes - 16 * KIB, reserved: 0, uploads: 2 })
    await expect(add(files(21_000))).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
    expect(await test.account()).toEqual({ used: structureBytes - 16 * KIB, reserved: 0, uploads: 2 })
  })

  it('keeps them, lists them once, and counts their bytes', async () => {
    const content = fill(3 * MIB + 17, 1)
    const { roots } = await add(Buffer.concat([part('a.png', content), end]))
    expect(roots).toHaveLength(1)
    expect(roots[0]?.Name).toBe('a.png')
    expect(await readBack(roots[0]?.Hash ?? '')).toEqual(content)
    expect(await test.account()).toEqual({ used: content.length, reserved: 0, uploads: 1 })
    const row = await test.context.db.read.selectFrom('upload').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ name: 'a.png', mime_type: 'image/png', size_bytes: content.length, kind: 'file' })
    expect(await temporaryFiles()).toEqual([])
  })

  it('keeps folders, empty files, and detects types by content if the name has none', async () => {
    const body = Buffer.concat([part('d/x.txt', 'hello'), part('d/empty', ''), part('d/e/y', fill(300_000, 2)), end])
    const { roots } = await add(body)
    expect(roots[0]?.Name).toBe('d')
    expect(await readBack(roots[0]?.Hash ?? '', ['e', 'y'])).toEqual(fill(300_000, 2))
    expect(await readBack(roots[0]?.Hash ?? '', ['empty'])).toHaveLength(0)
    await add(Buffer.concat([part('page', '<!doctype html><p>x'), end]))
    await add(Buffer.concat([part('note', 'plain words'), end]), { mimeType: 'text/markdown' })
    const types = await test.context.db.read
      .selectFrom('upload')
      .select(['name', 'mime_type', 'size_bytes', 'kind'])
      .orderBy('id')
      .execute()
    expect(types).toEqual([
      { name: 'd', mime_type: null, size_bytes: 300_005, kind: 'directory' },
      { name: 'page', mime_type: 'text/html', size_bytes: 19, kind: 'file' },
      { name: 'note', mime_type: 'text/markdown', size_bytes: 11, kind: 'file' },
    ])
    expect((await test.account()).used).toBe(300_005 + 19 + 11)
  })

  it('creates a row for each encrypted file', async () => {
    const { roots } = await add(Buffer.concat([part('a', 'one'), part('b', 'two'), end]), { encryption: true })
    expect(roots.map(({ Name }) => Name)).toEqual(['a', 'b'])
    expect(await test.account()).toEqual({ used: 6, reserved: 0, uploads: 2 })
    expect(`${await readBack(roots[1]?.Hash ?? '')}`).toBe('two')
  })

  it('stores the same bytes once, and counts them for each row', async () => {
    const content = fill(2 * MIB, 3)
    const body = Buffer.concat([part('a.bin', content), end])
    const [first, second] = await Promise.all([add(body), add(body)])
    expect(first.roots).toEqual(second.roots)
    const third = await add(body)
    expect(third.roots).toEqual(first.roots)
    expect(await test.account()).toEqual({ used: 3 * content.length, reserved: 0, uploads: 3 })
    expect(await readBack(third.roots[0]?.Hash ?? '')).toEqual(content)
    // Two concurrent uploads may both have written it; later ones found it stored.
    expect((await test.leftovers()).objects.length).toBeLessThanOrEqual(2)
  })

  it('stores nothing if only the hash is requested', async () => {
    const body = Buffer.concat([part('a.txt', 'hello world'), end])
    const { roots } = await add(body, { onlyHash: true, profile: importProfiles.v0 })
    expect(roots[0]?.Hash).toBe('Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD')
    expect(await test.leftovers()).toEqual(nothing)
    expect(await test.account()).toEqual({ used: 0, reserved: 0, uploads: 0 })
  })

  it('leaves nothing when the client disconnects, at any moment', async () => {
    const body = Buffer.concat([part('a.bin', fill(9 * MIB, 4)), part('b.bin', fill(3 * MIB, 5)), end])
    for (let percent = 0; percent < 100; percent += 5) {
      await expect(add(body, {}, Math.floor((body.length * percent) / 100))).rejects.toThrow()
      expect(await test.account()).toEqual({ used: 0, reserved: 0, uploads: 0 })
      expect(await temporaryFiles()).toEqual([])
    }
    expect(await test.leftovers()).toEqual(nothing)
  })

  it('leaves nothing when a name is repeated, before the second is read', async () => {
    const body = Buffer.concat([part('d/a', fill(5 * MIB, 6)), part('./d//a', 'x')])
    await expect(add(body)).rejects.toMatchObject({ code: 'DUPLICATE_NAME', message: 'Duplicate file name found: d/a' })
    expect(await test.leftovers()).toEqual(nothing)
    expect((await test.account()).reserved).toBe(0)
  })

  it('counts the memory of names and parts, rejects any excess, and releases it in every case', async () => {
    const partMemory = createPartMemory(200_000)
    const context = { ...test.context, partMemory }
    const send = (count: number, failAt?: number) => {
      const parts = Array.from({ length: count }, (_, i) => part(`d/${i}`, `${i}`))
      const body = freedFeedFrom(chunks(Buffer.concat([...parts, end]), failAt))
      return addFiles(context, testAddress, body, options)
    }
    await expect(send(500)).rejects.toMatchObject({ code: 'TOO_MANY_PARTS', details: { limitBytes: 100_000 } })
    expect(await test.leftovers()).toEqual(nothing)
    await expect(send(150, 0)).rejects.toMatchObject({ code: 'ABORTED' })
    const other = partMemory.open('TOO_MANY_PARTS')
    other.acquire(100_000)
    const another = partMemory.open('TOO_MANY_PARTS')
    another.acquire(60_000)
    await expect(send(150)).rejects.toMatchObject({ code: 'OVERLOADED', retryAfterSeconds: 5 })
    another.release()
    for (let round = 0; round < 3; round++) expect((await send(150)).roots).toHaveLength(1)
    // The whole budget is free again.
    another.acquire(100_000)
  })

  it('rejects an oversized file before reading it, and one that outgrows the storage while it streams', async () => {
    const never = (async function* () {
      yield part('a.bin', '').subarray(0, -2)
      throw new Error('read')
    })()
    const uploading = addFiles(test.context, testAddress, freedFeedFrom(never), { ...options, bodyBytes: 100 * MIB })
    await expect(uploading).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
    const body = Buffer.concat([part('a.bin', fill(limitBytes + 1, 7)), end])
    await expect(add(body)).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      details: { missingBytes: expect.any(Number) },
    })
    await expect(add(body, { bodyBytes: body.length })).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
    expect(await test.leftovers()).toEqual(nothing)
    expect(await test.account()).toEqual({ used: 0, reserved: 0, uploads: 0 })
  })

  it('accepts a file that fits to the last byte, with or without a length', async () => {
    const half = Buffer.concat([part('a.bin', fill(limitBytes / 2, 8)), end])
    await add(half, { bodyBytes: half.length })
    await add(half)
    expect(await test.account()).toEqual({ used: limitBytes, reserved: 0, uploads: 2 })
    await expect(add(Buffer.concat([part('x', 'y'), end]))).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
    await add(Buffer.concat([part('empty', ''), end]))
  })

  it('reserves nothing for a small file of known length, and decides when it is recorded', async () => {
    const reserved: number[] = []
    const halfway = async function* (body: Buffer) {
      yield body.subarray(0, -20)
      reserved.push((await test.account()).reserved)
      yield body.subarray(-20)
    }
    const send = (sizeBytes: number, isAnnounced: boolean) => {
      const body = Buffer.concat([part('a.bin', fill(sizeBytes, sizeBytes)), end])
      const given = isAnnounced ? { bodyBytes: body.length } : {}
      return addFiles(test.context, testAddress, freedFeedFrom(halfway(body)), { ...options, ...given })
    }
    await send(1000, true)
    await send(65_536, true)
    await send(65_537, true)
    await send(2000, false)
    expect(reserved).toEqual([0, 0, 65_537, 8 * MIB])
    expect(await test.account()).toEqual({ used: 1000 + 65_536 + 65_537 + 2000, reserved: 0, uploads: 4 })
    await add(Buffer.concat([part('base', fill(limitBytes - 140_000, 9)), end]))
    await expect(send(10_000, true)).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      details: { neededBytes: 10_000, missingBytes: 4073 },
    })
    expect(reserved).toHaveLength(4)
  })

  it('accepts exactly as many as fit when fifty race for the last storage', async () => {
    const sizeBytes = 64 * 1024
    await add(Buffer.concat([part('base', fill(limitBytes - MIB, 9)), end]))
    const race = Array.from({ length: 50 }, (_, index) => {
      const body = Buffer.concat([part(`f${index}`, fill(sizeBytes, 100 + index)), end])
      return add(body, index % 2 === 0 ? { bodyBytes: body.length } : {})
    })
    const outcomes = await Promise.allSettled(race)
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(outcomes.length - refused.length).toBe(MIB / sizeBytes)
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'QUOTA_EXCEEDED' })
    expect(await test.account()).toEqual({ used: limitBytes, reserved: 0, uploads: 17 })
  })
})
