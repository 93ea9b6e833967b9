import { randomBytes } from 'node:crypto'
import { CairnError, MIB } from '@cairn/protocol'
import { uuidv7 } from '@cairn/service'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { uploadColumns } from '../db/upload-columns.ts'
import { openAccount } from '../ledger/ledger.ts'
import { feedFrom } from '../multipart/read-multipart.ts'
import { openTestContext, type TestContext, testAddress } from '../uploads/open-test-context.suite.ts'
import { addFiles, readUploadSettings } from '../uploads/uploads.ts'
import { deleteFiles, findUpload, type ListOptions, listFiles, renameFile, toFileEntry } from './files.ts'

let test: TestContext

beforeEach(async () => {
  test = await openTestContext(64 * MIB)
})
afterEach(() => test[Symbol.asyncDispose]())

const signal = new AbortController().signal
const newest: ListOptions = {
  lastKey: null,
  sorting: { by: 'created_at', order: 'desc' },
  filter: undefined,
  limit: undefined,
  signal,
}
const list = (given: Partial<ListOptions> = {}) => listFiles(test.context, testAddress, { ...newest, ...given })

/** Inserts rows without stored bytes. */
async function insertRows(
  count: number,
  make: (index: number) => { name: string; mime?: string; encryption?: 0 | 1; is_private?: 0 | 1 } = (i) => ({
    name: `f${i}`,
  }),
) {
  await test.context.db.write(async (trx) => {
    for (let at = 0; at < count; at += 200) {
      const rows = Array.from({ length: Math.min(200, count - at) }, (_, offset) => {
        const index = at + offset
        const { name, mime, encryption = 0, is_private = 0 } = make(index)
        // Several rows share a time, as when one upload creates many.
        const time = 1_700_000_000_000 + Math.floor(index / 3)
        return {
          id: `018bcfe5-${String(index).padStart(4, '0').slice(-4)}-7${String(index).padStart(3, '0').slice(0, 3)}-8000-${String(index).padStart(12, '0')}`,
          address: testAddress,
          cid: CID.createV1(0x55, create(0x12, randomBytes(32))).toString(),
          root_multihash: randomBytes(34),
          name,
          mime_type: mime ?? null,
          size_bytes: (index * 7919) % 1000,
          dag_size_bytes: 1,
          encryption,
          is_private,
          storage_type: null,
          kind: 'file' as const,
          status: 'stored',
          created_at: time,
          updated_at: time,
        }
      })
      await trx.insertInto('upload').values(rows).execute()
    }
    await trx.updateTable('account').set({ upload_count: count }).execute()
  })
}

async function walk(given: Partial<ListOptions>): Promise<string[]> {
  const names: string[] = []
  for (let lastKey: string | null = null; ; ) {
    const { rows } = await list({ ...given, lastKey })
    names.push(...rows.map(({ name }) => name))
    const last = rows.at(-1)
    if (last === undefined) return names
    lastKey = last.id
  }
}

function body(name: string, content: string): AsyncIterable<Uint8Array> {
  return (async function* () {
    yield Buffer.from(`--b\r\nContent-Disposition: form-data; filename="${name}"\r\n\r\n${content}\r\n--b--`)
  })()
}

async function upload(name: string, content: string): Promise<{ id: string; cid: CID }> {
  const { roots } = await addFiles(test.context, testAddress, feedFrom(body(name, content)), {
    boundary: 'b',
    bodyBytes: undefined,
    ...readUploadSettings({}, 1),
    onlyHash: false,
    isKubo: false,
  })
  const { rows } = await list({ limit: 1 })
  return { id: rows[0]?.id ?? '', cid: CID.parse(roots[0]?.Hash ?? '') }
}

describe('a listing', () => {
  it('returns two thousand rows per page, newest first, each once', async () => {
    await insertRows(4500)
    const first = await list()
    expect(first.rows).toHaveLength(2000)
    expect(first.total).toBe(4500)
    expect(first.rows[0]?.name).toBe('f4499')
    const names = await walk({})
    expect(new Set(names).size).toBe(4500)
    expect(names.at(-1)).toBe('f0')
    const second = await list({ lastKey: first.rows.at(-1)?.id })
    expect(second.rows[0]?.name).toBe('f2499')
  })

  it('returns numbered pages, and none after the last', async () => {
    await insertRows(5)
    const pages = []
    for (const page of [1, 2, 3, 4]) pages.push((await list({ page, limit: 2 })).rows.map(({ name }) => name))
    expect(pages).toEqual([['f4', 'f3'], ['f2', 'f1'], ['f0'], []])
    expect((await list({ page: 6, limit: 1 })).rows).toEqual([])
    expect((await list({ page: 2 })).total).toBe(5)
    // Other work runs while the rows before a page are counted.
    await expect(list({ page: 2, signal: AbortSignal.abort(new CairnError('ABORTED')) })).rejects.toThrow(CairnError)
  })

  it('sorts by each column both ways without losing or doubling a row', async () => {
    await insertRows(500, (index) => ({ name: `name ${index % 50}` }))
    for (const by of ['created_at', 'name', 'size_bytes'] as const) {
      for (const order of ['asc', 'desc'] as const) {
        const seen: (string | number)[] = []
        const ids = new Set<string>()
        for (let lastKey: string | null = null; ; ) {
          const { rows } = await list({ sorting: { by, order }, lastKey, limit: 37 })
          for (const row of rows) {
            seen.push(row[by])
            ids.add(row.id)
          }
          const last = rows.at(-1)
          if (last === undefined) break
          lastKey = last.id
        }
        const sorted = [...seen].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
        expect(seen).toEqual(order === 'asc' ? sorted : sorted.reverse())
        expect(ids.size).toBe(500)
      }
    }
  })

  it('finds by part of a name, start of a CID, kind and type, with pages and a total', async () => {
    await insertRows(25_000, (index) => ({
      name: index % 1000 === 7 ? `Holiday_100%-${index}.JPG` : `f${index}`,
      mime: index % 1000 === 7 ? 'image/jpeg' : 'text/plain',
      encryption: index % 5000 === 7 ? 1 : 0,
      is_private: index % 5000 === 1007 ? 1 : 0,
    }))
    const byName = await list({ filter: { search: 'holiday_100%' } })
    expect(byName.rows.map(({ name }) => name)).toContain('Holiday_100%-7.JPG')
    expect([byName.rows.length, byName.total]).toEqual([25, 25])
    expect((await list({ filter: { search: 'holidayx100' } })).rows).toEqual([])
    expect(await walk({ filter: { mimePrefixes: ['image'] }, limit: 4 })).toHaveLength(25)
    expect((await list({ filter: { mimePrefixes: ['IMAGE/Jpeg'] } })).total).toBe(25)
    expect((await list({ filter: { mimePrefixes: ['image', 'audio'] } })).total).toBe(25)
    expect((await list({ filter: { mimePrefixes: ['image', 'text/'] } })).total).toBe(25_000)
    expect((await list({ filter: { mimePrefixes: ['image'], access: ['public', 'private'] } })).total).toBe(20)
    expect((await list({ filter: { mimePrefixes: ['%'] } })).total).toBe(0)
    expect((await list({ filter: { access: ['encrypted'] } })).total).toBe(5)
    expect((await list({ filter: { access: ['private'] } })).total).toBe(5)
    expect((await list({ filter: { mimePrefixes: ['image'], access: ['public'] } })).total).toBe(15)
    expect((await list({ filter: { mimePrefixes: ['image'], access: ['private', 'encrypted'] } })).total).toBe(10)
    const [row] = byName.rows
    expect((await list({ filter: { search: row?.cid.slice(0, 30) ?? '' } })).rows).toEqual([row])
  })

  it('resumes after a deleted row, and rejects an invalid cursor', async () => {
    const one = await upload('one', '1')
    const two = await upload('two', '2')
    await upload('three', '3')
    await deleteFiles(test.context, testAddress, { id: two.id })
    expect((await list({ lastKey: two.id })).rows.map(({ id }) => id)).toEqual([one.id])
    await expect(list({ lastKey: 'nonsense' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('shows rows of one account only', async () => {
    const { id } = await upload('mine', 'x')
    expect((await listFiles(test.context, '0xother', newest)).rows).toEqual([])
    await expect(renameFile(test.context, '0xother', id, 'y')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(deleteFiles(test.context, '0xother', { id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await list()).total).toBe(1)
  })
})

describe('an upload', () => {
  it('is found by its CID in either version, and missing if it was never stored', async () => {
    const { cid } = await upload('x.txt', 'hello')
    expect(toFileEntry(await findUpload(test.context, cid))).toMatchObject({
      fileName: 'x.txt',
      mimeType: 'text/plain',
      fileSizeInBytes: '5',
      encryption: false,
      cid: cid.toString(),
      publicKey: testAddress,
    })
    const unknown = CID.createV1(0x55, create(0x12, randomBytes(32)))
    await expect(findUpload(test.context, unknown)).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'Not Found' })
  })

  it('keeps the name and the type of its first upload when another account uploads the same content', async () => {
    const { cid, id } = await upload('first.txt', 'the same')
    const { db } = test.context
    const row = await db.read.selectFrom('upload').select(uploadColumns).where('id', '=', id).executeTakeFirstOrThrow()
    const address = `0x${'6'.repeat(40)}`
    await db.write(async (trx) => {
      await openAccount(trx, address, { config: { ...test.context.config, freeBytes: 0 }, now: 1 })
      const later = {
        ...row,
        id: uuidv7(Date.now() + 1_000),
        address,
        name: 'other.exe',
        encryption: 1 as const,
      }
      await trx.insertInto('upload').values(later).execute()
    })
    expect(toFileEntry(await findUpload(test.context, cid))).toMatchObject({ fileName: 'first.txt', encryption: false })
    const own = { fileName: 'other.exe', encryption: true }
    expect(toFileEntry(await findUpload(test.context, cid, address))).toMatchObject(own)
    const stranger = await findUpload(test.context, cid, `0x${'7'.repeat(40)}`)
    expect(toFileEntry(stranger)).toMatchObject({ fileName: 'first.txt' })
  })

  it('is deleted once: bytes are credited once, in any number of concurrent requests', async () => {
    const { id } = await upload('a', '12345')
    await upload('b', '67')
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => deleteFiles(test.context, testAddress, { id })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(CairnError.is(outcome.reason, 'NOT_FOUND')).toBe(true)
    }
    expect(await test.account()).toEqual({ used: 2, reserved: 0, uploads: 1 })
  })

  it('is deleted with all its rows by CID', async () => {
    for (let times = 0; times < 3; times++) await upload(`copy ${times}`, 'same')
    const { cid } = await upload('another', 'other')
    await deleteFiles(test.context, testAddress, { cid: (await findUpload(test.context, cid)) && cid })
    expect(await test.account()).toEqual({ used: 12, reserved: 0, uploads: 3 })
    const { rows } = await list({ limit: 1 })
    await deleteFiles(test.context, testAddress, { cid: CID.parse(rows[0]?.cid ?? '') })
    expect(await test.account()).toEqual({ used: 0, reserved: 0, uploads: 0 })
    const packs = await test.context.db.read.selectFrom('pack').select('unreferenced_at').execute()
    expect(packs.every(({ unreferenced_at }) => unreferenced_at !== null)).toBe(true)
  })

  it('stays complete when the same bytes are uploaded while their only other upload is deleted', async () => {
    for (let round = 0; round < 10; round++) {
      const content = `round ${round}`
      const { id, cid } = await upload('first', content)
      const [again] = await Promise.allSettled([
        upload('second', content),
        deleteFiles(test.context, testAddress, { id }),
      ])
      if (again.status === 'rejected') expect(again.reason).toMatchObject({ code: 'CONFLICT' })
      else {
        expect(`${Buffer.from(await test.context.packs.get(cid))}`).toBe(content)
        const links = await test.context.db.read
          .selectFrom('upload_pack')
          .innerJoin('pack', 'pack.id', 'upload_pack.pack_id')
          .select(['pack.state', 'pack.unreferenced_at'])
          .execute()
        for (const link of links) expect(link).toEqual({ state: 'live', unreferenced_at: null })
      }
    }
  })

  it('accepts another name, but none that leaves its folder', async () => {
    const { id } = await upload('a', 'x')
    expect(await renameFile(test.context, testAddress, id, ' new/./näme.txt')).toMatchObject({ name: ' new/näme.txt' })
    for (const name of ['..', 'a/../../b', 'a\0', '/', 'x'.repeat(2000)]) {
      await expect(renameFile(test.context, testAddress, id, name)).rejects.toMatchObject({ code: 'INVALID_PATH' })
    }
  })
})
