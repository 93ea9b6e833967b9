import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { uuidv7 } from '@cairn/service'
import { startPostgres } from '@cairn/service/postgres-fixture'
import { type Database, openDatabase } from '../services/storage/src/db/database.ts'
import { type ListOptions, listFiles } from '../services/storage/src/files/files.ts'
import { indexPending } from '../services/storage/src/search/search.ts'
import { insertUploads, type NewUpload } from '../services/storage/src/uploads/store.ts'
import { type Bench, type BenchOptions, formatNumber, median, pairedRatio, type Row } from './report.ts'

const uploads = 1_000_000
const goalMs = 20
const rowsPerUnit = 1000
const signal = new AbortController().signal
const [first, second, small] = ['0x01', '0x02', '0x03'].map((start) => start.padEnd(42, 'a')) as [
  string,
  string,
  string,
]

const words = ['report', 'holiday', 'invoice', 'photo', 'backup', 'scan', 'draft', 'final']

/** One name in a thousand contains "needle"; all contain ".txt". */
function makeRow(address: string, at: number): NewUpload {
  const time = 1_700_000_000_000 + at
  const digest = randomBytes(32)
  return {
    id: uuidv7(time),
    address,
    cid: `bafkrei${digest.toString('hex').slice(0, 52)}`,
    root_multihash: Buffer.concat([Buffer.from([0x12, 0x20]), digest]),
    name: at % 1000 === 0 ? `needle ${at}.txt` : `${words[at % words.length]} ${at}.txt`,
    mime_type: 'text/plain',
    size_bytes: at,
    dag_size_bytes: at,
    encryption: 0,
    storage_type: null,
    kind: 'file',
    status: 'stored',
    created_at: time,
    is_private: 0,
    updated_at: time,
  }
}

/** Measures in ms: processor time on SQLite, which runs in this process, otherwise elapsed time. */
async function measure(db: Database, work: () => Promise<unknown>): Promise<number> {
  const cpu = process.cpuUsage()
  const started = performance.now()
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return db.kind === 'sqlite' ? (user + system) / 1000 : performance.now() - started
}

/** Records uploads as the service does, or as the version before the index did. */
async function record(db: Database, address: string, count: number, isIndexed: boolean): Promise<void> {
  await openAccount(db, address)
  for (let at = 0; at < count; at += rowsPerUnit) {
    const rows = Array.from({ length: Math.min(rowsPerUnit, count - at) }, (_, offset) => makeRow(address, at + offset))
    await db.write(async (trx) => {
      if (isIndexed) return insertUploads(trx, db.kind, address, rows)
      for (let from = 0; from < rows.length; from += 200) {
        await trx
          .insertInto('upload')
          .values(rows.slice(from, from + 200))
          .execute()
      }
    })
  }
}

async function openAccount(db: Database, address: string): Promise<void> {
  const account = { created_at: 1, data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0 }
  await db.write((trx) =>
    trx
      .insertInto('account')
      .values({ address, ...account })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
}

const searches: { what: string; text(run: number): string; sorting?: ListOptions['sorting']; limitMs?: number }[] = [
  { what: 'one match', text: (run) => `needle ${run + 100}000.`, limitMs: goalMs },
  { what: 'no match', text: (run) => `missing ${run}`, limitMs: goalMs },
  {
    what: 'about 1,000 matches',
    text: (run) => ['needle', 'eedle', 'needl', 'eedle ', 'needle '][run % 5] ?? '',
    limitMs: goalMs,
  },
  {
    what: 'about 1,000 matches, by name',
    text: (run) => ['NEEDLE', 'EEDLE', 'NEEDL', 'EEDLE ', 'NEEDLE '][run % 5] ?? '',
    sorting: { by: 'name', order: 'asc' },
    limitMs: goalMs,
  },
  {
    what: 'ten characters of a CID (250 matches)',
    text: (run) => `bafkrei${(run + 10).toString(16).padStart(3, '0')}`,
    limitMs: goalMs,
  },
  {
    what: '125,000 matches, page and total',
    text: (run) => ['report', 'repor', 'eport', 'REPORT', 'Report'][run % 5] ?? '',
  },
  { what: 'two characters, page and total', text: (run) => ['7.', '8.', '9.', '6.', '5.'][run % 5] ?? '' },
]

/** Every search runs a minute after the last, so that no total is cached. */
const clock = {
  ms: 1_800_000_000_000,
  now() {
    this.ms += 60_000
    return this.ms
  },
}

async function searchOnce(
  db: Database,
  address: string,
  text: string,
  sorting: ListOptions['sorting'],
): Promise<number> {
  const context = { db, clock }
  return measure(db, () =>
    listFiles(context, address, { lastKey: null, sorting, filter: { search: text }, limit: 50, signal }),
  )
}

const newest: ListOptions['sorting'] = { by: 'created_at', order: 'desc' }

async function runOn(db: Database, runs: number): Promise<Row[]> {
  const rows: Row[] = []
  await record(db, first, uploads, false)
  const before: number[] = []
  for (let run = 0; run < 3; run++) before.push(await searchOnce(db, first, `before ${run}`, newest))
  const indexing = await measure(db, () => indexPending({ db }, signal))
  rows.push({
    what: `${formatNumber(uploads)} uploads of an older version indexed in the background`,
    ours: `${formatNumber(indexing / 1000)} s`,
    against: '–',
    ratio: undefined,
    goal: '–',
    reached: undefined,
  })
  await record(db, second, uploads, true)
  await record(db, small, 10, true)
  const add = (what: string, times: number[], limitMs: number | undefined): void => {
    const sorted = times.toSorted((a, b) => a - b)
    const ours = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN
    rows.push({
      what: `search, ${what}, p95`,
      ours: `${formatNumber(ours)} ms`,
      against: `query over all rows: ${formatNumber(median(before))} ms`,
      ratio: median(before) / ours,
      goal: limitMs === undefined ? '–' : `≤ ${limitMs} ms`,
      reached: limitMs === undefined ? undefined : ours <= limitMs,
    })
  }
  for (const { what, text, sorting = newest, limitMs } of searches) {
    const times: number[] = []
    for (let run = 0; run < (limitMs === undefined ? 3 : 40); run++) {
      times.push(await searchOnce(db, first, text(run), sorting))
    }
    add(what, times, limitMs)
  }
  const foreign: number[] = []
  for (const text of ['.txt', 'report', 'needle']) foreign.push(await searchOnce(db, small, text, newest))
  add('10 uploads of a third account', foreign, goalMs)
  const plain: number[] = []
  const indexed: number[] = []
  for (let run = 0; run < runs; run++) {
    plain.push(await measure(db, () => record(db, `plain ${run}`, 10_000, false)))
    indexed.push(await measure(db, () => record(db, `indexed ${run}`, 10_000, true)))
  }
  rows.push({
    what: 'recording 10,000 uploads with their index',
    ours: `${formatNumber(median(indexed))} ms`,
    against: `without: ${formatNumber(median(plain))} ms`,
    ratio: pairedRatio(indexed, plain),
    goal: '–',
    reached: undefined,
  })
  return rows
}

async function runSqlite({ scratch, runs }: BenchOptions): Promise<Row[]> {
  await using db = await openDatabase({ kind: 'sqlite', path: join(scratch, 'search.sqlite') })
  return await runOn(db, runs)
}

async function runPostgres({ runs }: BenchOptions): Promise<Row[]> {
  const server = await startPostgres()
  try {
    await using db = await openDatabase({ kind: 'postgres', url: await server.createDatabase() })
    return await runOn(db, runs)
  } finally {
    await server.stop()
  }
}

export const searchBench: Bench = {
  name: 'search',
  about: 'Search by name among 1,000,000 uploads of an account: page of 50 and total, processor time, SQLite.',
  run: runSqlite,
}

export const searchPostgresBench: Bench = {
  name: 'search-postgres',
  about: 'The same on PostgreSQL. Times are wall-clock times, because the server is another process.',
  run: runPostgres,
}
