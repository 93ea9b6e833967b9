// Searches through the index against the query over all rows that it replaced, on both databases.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseSettings, openDatabase as openWith } from '@cairn/service'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { CompiledQuery, sql } from 'kysely'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, migrations, openDatabase } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { type Filter, listFiles, renameFile, type Sorting } from '../files/files.ts'
import { insertUploads, type NewUpload } from '../uploads/store.ts'
import { candidateRows, findCandidates, indexPending } from './search.ts'

const signal = new AbortController().signal
const [mine, other] = ['0xaa', '0xbb']
/** A counter, so that a failure can be repeated. */
let state = 1
const random = (below: number): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
  return Math.floor((state / 0x80000000) * below)
}
const pick = <T>(list: readonly [T, ...T[]]): T => list[random(list.length)] ?? list[0]

const pieces = [
  ...['report', 'Report', 'REP', 'a', 'b', 'aa', 'ab', 'İ', 'ß', 'Ä', 'ä', 'a\u0308', 'é', 'e\u0301', 'Σ', 'ς', 'K'],
  ...['%', '_', '!', '"', "'", '*', '(', ')', ':', '^', '-', ' ', '.', '/', ' AND ', ' OR ', 'NOT', 'NEAR', '\\', '{}'],
  ...['日本', '語', '👍', '👍🏽', '.txt', '.TXT', '0', '12', 'bafk', 'Qm', 'bafkrei'],
] as const
const randomName = () => Array.from({ length: 1 + random(7) }, () => pick(pieces as unknown as [string])).join('')

let counter = 0
function makeRow(address: string, name: string, createdAt: number): NewUpload {
  const digest = create(0x12, randomBytes(32))
  return {
    id: `018bcfe5-0000-7000-8000-${(random(16 ** 6) * 4096 + (counter++ % 4096)).toString(16).padStart(12, '0')}`,
    address,
    cid: (counter % 9 === 0 ? CID.createV0(digest) : CID.createV1(counter % 2 === 0 ? 0x55 : 0x70, digest)).toString(),
    root_multihash: digest.bytes,
    name,
    mime_type: pick(['text/plain', 'image/png', null]),
    size_bytes: random(50),
    dag_size_bytes: 1,
    encryption: random(2) === 0 ? 0 : 1,
    storage_type: null,
    kind: 'file',
    status: 'stored',
    created_at: createdAt,
    is_private: 0,
    updated_at: createdAt,
  }
}

async function openAccounts(db: Database): Promise<void> {
  const limits = { created_at: 1, data_limit_bytes: 1e9, data_used_bytes: 1e8, reserved_bytes: 0 }
  await db.write((trx) =>
    trx
      .insertInto('account')
      .values([mine, other].map((address) => ({ address, ...limits })))
      .execute(),
  )
}

const insert = (db: Database, address: string, names: readonly string[]) =>
  db.write((trx) =>
    insertUploads(
      trx,
      db.kind,
      address,
      names.map((name, at) => makeRow(address, name, 1_700_000_000_000 + Math.floor(at / 5))),
    ),
  )

/** Lower case of letters that have exactly one other form. */
const fold = (text: string): string =>
  Array.from(text, (letter) => {
    const lower = letter.toLowerCase()
    return lower.toUpperCase() === letter && lower.length === letter.length ? lower : letter
  }).join('')

/** What a search finds, from all rows, in the order of the listing. */
async function scan(db: Database, address: string, text: string, { by, order }: Sorting): Promise<string[]> {
  const start = text.startsWith('Q') ? text : text.toLowerCase()
  const rows = await db.read
    .selectFrom('upload')
    .select(['id', 'name', 'cid'])
    .where('address', '=', address)
    .orderBy(by, order)
    .orderBy('id', order)
    .execute()
  const found = rows.filter(({ name, cid }) => fold(name).includes(fold(text)) || cid.startsWith(start))
  return found.map(({ id }) => id)
}

/** A minute passes before every query, so that no count is cached. */
const clock = {
  ms: 1_800_000_000_000,
  now() {
    this.ms += 60_000
    return this.ms
  },
}

async function search(db: Database, text: string, sorting = newest, limit = 17, address = mine): Promise<string[]> {
  const context = { db, clock }
  const ids: string[] = []
  for (let lastKey: string | null = null; ; ) {
    const page = await listFiles(context, address, { lastKey, sorting, filter: { search: text }, limit, signal })
    ids.push(...page.rows.map(({ id }) => id))
    if (page.rows.length < limit) {
      expect(page.total, `total of ${JSON.stringify(text)}`).toBe(ids.length)
      return ids
    }
    lastKey = ids.at(-1) ?? null
  }
}

const newest: Sorting = { by: 'created_at', order: 'desc' }
const sortings: readonly [Sorting, ...Sorting[]] = [
  newest,
  { by: 'created_at', order: 'asc' },
  { by: 'name', order: 'asc' },
  { by: 'name', order: 'desc' },
  { by: 'size_bytes', order: 'asc' },
  { by: 'size_bytes', order: 'desc' },
]

function suite(name: string, fresh: () => Promise<{ open(): Promise<Database>; openOld(): Promise<Database> }>) {
  describe(name, () => {
    let place: Awaited<ReturnType<typeof fresh>>
    let db: Database
    beforeEach(async () => {
      place = await fresh()
      db = await place.open()
      await openAccounts(db)
    })
    afterEach(() => db.close())

    const planOf = async (text: string): Promise<string> => {
      const found = await findCandidates(db, mine, text)
      if (found === undefined) return 'no index'
      const { sql: query, parameters } = db.read
        .selectFrom(candidateRows(found).as('upload'))
        .select('id')
        .where('address', '=', mine)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(50)
        .compile()
      const explain = db.kind === 'sqlite' ? 'explain query plan' : 'explain'
      const { rows } = await db.read.executeQuery(CompiledQuery.raw(`${explain} ${query}`, [...parameters]))
      return JSON.stringify(rows.map((row) => Object.values(row as object).map(String)))
    }

    test('random searches find the same as a query over all rows, in each order, page by page', async () => {
      const names = Array.from({ length: 300 }, randomName)
      await insert(db, mine, names)
      await insert(db, other, Array.from({ length: 100 }, randomName))
      const cids = await db.read.selectFrom('upload').select('cid').where('address', '=', mine).limit(8).execute()
      const texts = new Set<string>([
        'AND',
        ' OR ',
        '"""',
        "'''",
        '%%%',
        '___',
        '!!!',
        '(((',
        'a*b',
        '   ',
        'NEAR(',
        '👍🏽',
      ])
      for (let at = 0; at < 50; at++) {
        const name = [...pick(names as [string])]
        const from = random(name.length)
        const part = name.slice(from, from + 1 + random(9)).join('')
        texts.add(random(3) === 0 ? part.toUpperCase() : part).add(randomName())
      }
      for (const { cid } of cids) texts.add(cid).add(cid.slice(0, 2 + random(14)))
      let matched = 0
      for (const text of texts) {
        const sorting = pick(sortings)
        const found = await search(db, text, sorting)
        expect(found, JSON.stringify([text, sorting])).toEqual(await scan(db, mine, text, sorting))
        if (text.length >= 3 && found.length > 0) matched++
      }
      expect(matched).toBeGreaterThan(30)
    })

    test('finds letters of all alphabets in any case', async () => {
      const names = [
        'Übersicht 2026.pdf',
        'ÜBERSICHT.PDF',
        'übersicht.txt',
        'Отчёт',
        'отчёт 2',
        'Ärger',
        'Straße',
        '𐐀𐐁𐐂',
      ]
      await insert(db, mine, [...names, ...Array.from({ length: 50 }, (_, at) => `file ${at}`)])
      const namesOf = async (text: string) => {
        const ids = await search(db, text)
        const rows = await db.read.selectFrom('upload').select(['id', 'name']).execute()
        return ids.map((id) => rows.find((row) => row.id === id)?.name).sort()
      }
      for (const text of ['Übersicht', 'übersicht', 'ÜBERSICHT', 'Übe', 'ü', 'ÜB']) {
        expect(await namesOf(text), text).toEqual(names.slice(0, 3).sort())
      }
      for (const text of ['Отчёт', 'отчёт', 'ОТЧЁТ', 'тчё', 'О']) {
        expect(await namesOf(text), text).toEqual(['Отчёт', 'отчёт 2'])
        if (text.length >= 3) expect(await findCandidates(db, mine, text)).toMatchObject({ isSmall: true })
      }
      for (const text of ['Ärger', 'ärg', 'STRAßE', '𐐨𐐩𐐪']) expect(await namesOf(text), text).toHaveLength(1)
      expect(await namesOf('Uber')).toEqual([])
    })

    test('another filter narrows a search', async () => {
      await insert(
        db,
        mine,
        Array.from({ length: 300 }, (_, at) => (at % 3 === 0 ? `photo ${at}` : `note ${at}`)),
      )
      const filter: Filter = { search: 'PHOTO', access: ['encrypted'], mimePrefixes: ['image'] }
      const context = { db, clock }
      const page = await listFiles(context, mine, { lastKey: null, sorting: newest, filter, limit: 1000, signal })
      const wanted = await db.read
        .selectFrom('upload')
        .select('id')
        .where('name', 'like', 'photo%')
        .where('encryption', '=', 1)
        .where('mime_type', '=', 'image/png')
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute()
      expect(page.rows.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
      expect(page.total).toBe(wanted.length)
      expect(wanted.length).toBeGreaterThan(5)
    })

    test('a search with thousands of matches returns its pages in order, and costs other accounts nothing', async () => {
      for (let at = 0; at < 6; at++)
        await insert(
          db,
          mine,
          Array.from({ length: 1000 }, (_, n) => `report ${at}-${n}`),
        )
      expect(await findCandidates(db, mine, 'report')).toMatchObject({ isSmall: false })
      await insert(db, other, ['report of another', 'b', 'c'])
      const found = await findCandidates(db, other, 'report')
      if (found === undefined) throw new Error('the index does not answer')
      expect(found.isSmall).toBe(true)
      const rows = await db.read.selectFrom(candidateRows(found).as('upload')).select('name').execute()
      expect(rows).toEqual([{ name: 'report of another' }])
      for (const sorting of [newest, ...sortings.slice(1, 3)]) {
        expect(await search(db, 'Report', sorting, 1999)).toEqual(await scan(db, mine, 'Report', sorting))
      }
    })

    test('a page of a search reads the index, not all rows', async () => {
      await insert(
        db,
        mine,
        Array.from({ length: 10_000 }, (_, at) => (at % 500 === 0 ? `needle ${at}` : `file ${at}`)),
      )
      if (db.kind === 'postgres') await sql`vacuum analyze upload`.execute(db.read)
      const plan = await planOf('needle')
      if (db.kind === 'sqlite') {
        expect(plan).toMatch(/SCAN upload_search VIRTUAL TABLE INDEX/)
        expect(plan).toMatch(/SEARCH upload USING INDEX upload_indexed \(search_number=\?\)/)
        expect(plan).not.toMatch(/SCAN upload["( ]/)
      } else {
        expect(plan).toMatch(/Bitmap Index Scan on upload_indexed/)
        expect(plan).not.toMatch(/Seq Scan/)
      }
    })

    test('finds CIDs by their start, through an index unless they are many', async () => {
      for (let at = 0; at < 3; at++) {
        await insert(
          db,
          mine,
          Array.from({ length: 1000 }, (_, n) => `file ${at}-${n}`),
        )
      }
      const rows = await db.read.selectFrom('upload').select(['id', 'cid']).limit(20).execute()
      const own = rows.filter(({ cid }) => cid.startsWith('Qm')).slice(0, 1)
      expect(own).toHaveLength(1)
      for (const { id, cid } of [...own, ...rows.slice(0, 2)]) {
        for (const length of [3, 4, 8, 10, 14, cid.length]) {
          const start = cid.slice(0, length)
          for (const sorting of [newest, sortings[2] ?? newest]) {
            expect(await search(db, start, sorting, 700)).toEqual(await scan(db, mine, start, sorting))
          }
        }
        expect(await findCandidates(db, mine, cid)).toMatchObject({ isSmall: true, cids: { address: mine } })
        expect(await search(db, cid)).toEqual([id])
        expect(await search(db, cid.toUpperCase())).toEqual(cid.startsWith('b') ? [id] : [])
        expect(await search(db, cid, newest, 17, other)).toEqual([])
      }
      const many = await findCandidates(db, mine, 'bafkrei')
      expect(many).toMatchObject({ kind: db.kind })
      expect(many?.cids).toBeUndefined()
      if (db.kind === 'postgres') await sql`vacuum analyze upload`.execute(db.read)
      const plan = await planOf(rows.find(({ cid }) => cid.startsWith('b'))?.cid.slice(0, 11) ?? '')
      expect(plan).toMatch(db.kind === 'sqlite' ? /COVERING INDEX upload_own_cid/ : /Index Scan on upload_own_cid/)
      expect(plan).not.toMatch(/SCAN upload["( ]|Seq Scan/)
    })

    test('a search that finds both names and CIDs returns each upload once', async () => {
      await insert(db, mine, ['first', 'second'])
      const [one] = await db.read.selectFrom('upload').select(['id', 'cid']).orderBy('id').execute()
      if (one === undefined) throw new Error('nothing was recorded')
      const start = one.cid.slice(0, 16)
      await renameFile({ db, clock }, mine, one.id, `copy of ${start}`)
      await insert(db, mine, [`another ${start}`])
      expect(await search(db, start, newest, 1)).toEqual(await scan(db, mine, start, newest))
      expect(await search(db, start, newest, 1)).toHaveLength(2)
    })

    test('a cursor stays valid while rows are added and removed', async () => {
      await insert(
        db,
        mine,
        Array.from({ length: 40 }, (_, at) => `report ${at}`),
      )
      const before = await scan(db, mine, 'report', newest)
      const context = { db, clock }
      const page = (lastKey: string | null) =>
        listFiles(context, mine, { lastKey, sorting: newest, filter: { search: 'report' }, limit: 10, signal })
      const first = (await page(null)).rows.map(({ id }) => id)
      await db.write((trx) =>
        trx
          .deleteFrom('upload')
          .where('id', 'in', [before[9] ?? '', before[12] ?? ''])
          .execute(),
      )
      await db.write((trx) => insertUploads(trx, db.kind, mine, [makeRow(mine, 'report of today', 1_900_000_000_000)]))
      const next = (await page(first[8] ?? null)).rows.map(({ id }) => id)
      expect(next).toEqual([...before.slice(10, 12), ...before.slice(13, 21)])
      const late = await page('ffffffff-ffff-7fff-bfff-ffffffffffff')
      expect(late.rows).toEqual((await page(null)).rows)
    })

    test('finds a renamed upload only by its new name, and a removed one not at all', async () => {
      await insert(db, mine, ['first name', 'another'])
      const [id = ''] = await search(db, 'first')
      await renameFile({ db, clock }, mine, id, 'second label')
      expect(await search(db, 'first')).toEqual([])
      expect(await search(db, 'label')).toEqual([id])
      await db.write((trx) => trx.deleteFrom('upload').where('id', '=', id).execute())
      expect(await search(db, 'label')).toEqual([])
      if (db.kind === 'sqlite') {
        expect(await db.read.selectFrom('upload_search').select('rowid').execute()).toHaveLength(1)
      }
    })

    test('finds a row renamed by an older replica by its new name, and indexes it again', async () => {
      await insert(db, mine, ['first name', 'another'])
      const [id = ''] = await search(db, 'first')
      await db.write((trx) => trx.updateTable('upload').set({ name: 'second label' }).where('id', '=', id).execute())
      expect(await findCandidates(db, mine, 'label')).toBeUndefined()
      expect(await search(db, 'label')).toEqual([id])
      expect(await indexPending({ db }, signal)).toBe(1)
      expect(await findCandidates(db, mine, 'label')).toMatchObject({ isSmall: true })
      expect(await search(db, 'label')).toEqual([id])
      expect(await search(db, 'first')).toEqual([])
    })

    test('a failed unit of work leaves no trace in the index', async () => {
      const failed = db.write(async (trx) => {
        await insertUploads(trx, db.kind, mine, [makeRow(mine, 'never stored', 1_700_000_000_000)])
        throw new Error('no')
      })
      const stored = insert(db, mine, ['stored beside it'])
      await expect(failed).rejects.toThrow('no')
      await stored
      expect(await search(db, 'stored')).toEqual(await scan(db, mine, 'stored beside', newest))
      expect(await planOf('never')).not.toBe('no index')
      expect(await search(db, 'never')).toEqual([])
    })

    test('finds rows of an older version at once, and through the index once it has them', async () => {
      await db.close()
      place = await fresh()
      const old = await place.openOld()
      await openAccounts(old)
      const rows = Array.from({ length: 450 }, (_, at) => {
        const { is_private: _later, ...row } = makeRow(mine, `${randomName()} old ${at}`, 1_600_000_000_000)
        return row
      })
      await old.write((trx) => trx.insertInto('upload').values(rows).execute())
      await old.close()
      db = await place.open()
      expect(await findCandidates(db, mine, 'old 44')).toBeUndefined()
      const found = await search(db, 'old 44')
      expect(found).toHaveLength(11)
      await insert(db, mine, ['old 44 and new'])
      expect(await search(db, 'old 44')).toHaveLength(12)
      const [some, rest] = await Promise.all([indexPending({ db }, signal), indexPending({ db }, signal)])
      expect(some + rest).toBe(450)
      expect(await indexPending({ db }, signal)).toBe(0)
      expect(await findCandidates(db, mine, 'old 44')).toMatchObject({ isSmall: true })
      expect(await search(db, 'old 44')).toEqual(await scan(db, mine, 'old 44', newest))
      expect(await search(db, 'old 44')).toHaveLength(12)
    })
  })
}

const old = migrations.filter(({ name }) => name < '0018')

describe.each(databaseKinds)('on %s', (kind) => {
  let home: string
  let server: PostgresFixture | undefined
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'cairn-search-'))
    if (kind === 'postgres') server = await startPostgres()
  })
  afterAll(async () => {
    await server?.stop()
    await rm(home, { recursive: true })
  })
  let count = 0
  suite('search', async () => {
    const settings: DatabaseSettings =
      server === undefined
        ? { kind: 'sqlite', path: join(home, `${count++}.sqlite`) }
        : { kind: 'postgres', url: await server.createDatabase(), poolSize: 4 }
    return { open: () => openDatabase(settings), openOld: () => openWith<Schema>(settings, { migrations: old }) }
  })
})
