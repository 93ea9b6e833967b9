// `npm run bench:scale -- WHAT COUNT…`: one storage service, or several, on PostgreSQL with many rows. Not part of `npm run
// bench`, because it takes from minutes to an hour.
//   listing 1000000 10000000   pages of 100 among that many uploads, and among 1,000
//   start 1000000              start and memory with that many packs
//   delete 100000              delete of a folder with that many files, and the removal of its pack
//   replicas 1 2 4             processor time per upload and per read
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startPostgres } from '@cairn/service/postgres-fixture'
import pg from 'pg'
import { readConfig } from '../services/storage/src/config.ts'
import { openStore } from '../services/storage/src/maintenance/open-store.ts'
import { removeUnreferencedPacks } from '../services/storage/src/packs/removal/remove-packs.ts'
import { systemClock } from '../services/storage/src/workers/worker.ts'
import { cpuMs, peakMemory } from './program.ts'
import { formatNumber, median } from './report.ts'
import { type Storage, startStorage } from './storage-service.ts'

const checkout = resolve(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'cairn-scale-'))
const postgres = await startPostgres()
const print = (line: string) => console.log(line)
const p95 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
const ms = (times: number[]) => `median ${formatNumber(median(times))} ms, p95 ${formatNumber(p95(times))} ms`

/** Runs statements on a database. */
async function execute(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Prints the size of a table with its indexes, per row. */
async function printSize(url: string, table: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(`select pg_total_relation_size('${table}') as bytes`)
    print(`${table}: ${formatNumber(Number(rows[0]?.bytes) / count)} bytes per row, with indexes`)
  } finally {
    await client.end()
  }
}

const start = (url: string, name: string, environment: Record<string, string> = {}) =>
  startStorage(checkout, join(scratch, name), {
    CAIRN_DATABASE_URL: url,
    CAIRN_STORAGE_SECRET: 'ab'.repeat(32),
    CAIRN_PACK_FOLDER: join(scratch, 'packs', new URL(url).pathname.slice(1)),
    CAIRN_RATE_FACTOR: '0',
    ...environment,
  })

async function call({ api, apiKey }: Storage, path: string, init: RequestInit = {}): Promise<unknown> {
  const answer = await fetch(`${api}${path}`, { ...init, headers: { authorization: `Bearer ${apiKey}` } })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.status} ${text.slice(0, 300)}`)
  return text
}

/** Rows that resemble uploads, with names in random order. */
const fillUploads = (address: string, count: number) => [
  `insert into upload (id, address, cid, root_multihash, name, mime_type, size_bytes, dag_size_bytes, encryption,
      storage_type, kind, status, created_at, updated_at)
    select lpad(to_hex(1700000000000 + n), 12, '0') || substr(md5(n::text), 1, 20), '${address}', 'bafkrei' || md5(n::text),
      decode('1220' || md5(n::text) || md5((n + 1)::text), 'hex'), md5((n * 7)::text) || '.txt', 'text/plain', n, n, 0,
      null, 'file', 'stored', 1700000000000 + n, 1700000000000 + n from generate_series(1, ${count}) as n`,
  `update account set upload_count = ${count} where address = '${address}'`,
  'analyze upload',
]

async function listing(counts: readonly number[]): Promise<void> {
  for (const count of [1000, ...counts]) {
    const url = await postgres.createDatabase()
    await using storage = await start(url, `listing-${count}`)
    await execute(url, ...fillUploads(storage.address, count))
    await printSize(url, 'upload', count)
    for (const query of ['limit=100', 'limit=100&sort=fileName&order=asc', 'limit=2000']) {
      const times: number[] = []
      await call(storage, `/api/user/files_uploaded?${query}`)
      const before = cpuMs(storage.pid)
      for (let run = 0; run < 60; run++) {
        const started = performance.now()
        await call(storage, `/api/user/files_uploaded?${query}`)
        times.push(performance.now() - started)
      }
      const cpu = (cpuMs(storage.pid) - before) / 60
      print(`listing ${query} among ${count}: ${ms(times)}, ${formatNumber(cpu)} ms of the service's processor time`)
    }
  }
}

function uploadBody(bytes: Uint8Array<ArrayBuffer>): FormData {
  const body = new FormData()
  body.append('file', new Blob([bytes]), 'file.bin')
  return body
}

async function startWithPacks(counts: readonly number[]): Promise<void> {
  for (const count of [0, ...counts]) {
    const url = await postgres.createDatabase()
    // The newest packs, which a start inspects, are real.
    const first = await start(url, `first-${count}`)
    for (let at = 0; at < 25; at++)
      await call(first, '/api/v0/add', { method: 'POST', body: uploadBody(randomBytes(4096)) })
    await first[Symbol.asyncDispose]()
    // Older rows, without objects.
    await execute(
      url,
      `insert into pack (id, object_key, size_bytes, block_count, state, created_at, scrubbed_at, is_pieced)
        select n::int8 << 20, 'packs/00000/' || lpad(to_hex(n::int8 << 20), 16, '0') || '.car', 5000, 2, 'live', n,
          (extract(epoch from now()) * 1000)::int8, 1 from generate_series(1, ${count}) as n`,
      `insert into block (multihash, pack_id, offset_bytes, length_bytes)
        select decode('1220' || md5(n::text || b) || md5(b || n::text), 'hex'), n::int8 << 20, 100 * b, 100
          from generate_series(1, ${count}) as n, generate_series(1, 2) as b`,
      'analyze',
    )
    if (count > 0) await printSize(url, 'pack', count)
    if (count > 0) await printSize(url, 'block', 2 * count)
    const started = performance.now()
    await using storage = await start(url, `second-${count}`)
    const wall = performance.now() - started
    print(
      `start with ${count} packs: ${formatNumber(cpuMs(storage.pid) / 1000)} s of processor time, ${formatNumber(wall / 1000)} s by the clock, peak memory ${formatNumber(peakMemory(storage.pid) / 2 ** 20)} MiB`,
    )
  }
}

async function deleteFolder(counts: readonly number[]): Promise<void> {
  for (const count of counts) {
    const url = await postgres.createDatabase()
    const name = `delete-${count}`
    const folder = join(scratch, 'packs', new URL(url).pathname.slice(1))
    {
      await using storage = await start(url, name)
      const body = new FormData()
      for (let at = 0; at < count; at++) body.append('file', new Blob([`file ${at}`]), `folder/${at % 100}/${at}.txt`)
      let before = cpuMs(storage.pid)
      let started = performance.now()
      await call(storage, '/api/v0/add?wrap-with-directory=false', { method: 'POST', body })
      print(
        `upload of ${count} files: ${formatNumber(cpuMs(storage.pid) - before)} ms of processor time, ${formatNumber(performance.now() - started)} ms by the clock`,
      )
      const { fileList } = JSON.parse(String(await call(storage, '/api/user/files_uploaded?limit=10'))) as {
        fileList: { id: string }[]
      }
      before = cpuMs(storage.pid)
      started = performance.now()
      for (const { id } of fileList) await call(storage, `/api/user/delete_file?id=${id}`, { method: 'DELETE' })
      print(
        `delete of its ${fileList.length} uploads: ${formatNumber(cpuMs(storage.pid) - before)} ms of processor time, ${formatNumber(performance.now() - started)} ms by the clock`,
      )
    }
    const config = readConfig({
      CAIRN_HOME: join(scratch, name),
      CAIRN_DATABASE_URL: url,
      CAIRN_STORAGE_SECRET: 'ab'.repeat(32),
      CAIRN_PACK_FOLDER: folder,
    })
    await using store = await openStore(config, 'change')
    const usage = process.cpuUsage()
    const started = performance.now()
    const clock = { ...systemClock, now: () => Date.now() + 1000 }
    const removed = await removeUnreferencedPacks({ ...store, clock, graceMs: 0 })
    const { user, system } = process.cpuUsage(usage)
    print(
      `removal of its ${removed} packs: ${formatNumber((user + system) / 1000)} ms of processor time, ${formatNumber(performance.now() - started)} ms by the clock`,
    )
  }
}

/** Calls to each replica before the measurement: with 200, code that was not compiled yet cost up to a third more. */
const warmUpCalls = 600
const measuredCalls = 300
/** Concurrent calls to each replica, the same for any number of them, because concurrent calls share commits and syncs. */
const callsAtOnce = 4
/** Files to read, the same for any number of replicas, so that each has them in its cache. */
const filesRead = 100

/** Rounds in which the numbers of replicas alternate, because a shared machine is faster in one minute than in another. */
const replicaRounds = 5

/** Replicas of one service, or the same number of unrelated services. */
type Kind = 'replicas' | 'services'

type Group = {
  readonly count: number
  readonly kind: Kind
  round(): Promise<readonly [upload: number, read: number]>
}

/**
 * Starts a number of replicas on one database, or as many services on their own databases, and returns a function that
 * measures the processor time of a call on all of them, in ms.
 */
async function startGroup(count: number, kind: Kind, stack: AsyncDisposableStack): Promise<Group> {
  const all: Storage[] = []
  let url = await postgres.createDatabase()
  for (let at = 0; at < count; at++) {
    if (at > 0 && kind === 'services') url = await postgres.createDatabase()
    all.push(stack.use(await start(url, `${kind}-${count}-${at}`)))
  }
  const cpu = () => all.reduce((sum, { pid }) => sum + cpuMs(pid), 0)
  const each = async (work: (storage: Storage, at: number) => Promise<unknown>, times: number): Promise<number> => {
    const before = cpu()
    let next = 0
    const lane = async () => {
      for (let at = next++; at < times; at = next++) {
        const storage = all[at % count]
        if (storage !== undefined) await work(storage, at)
      }
    }
    await Promise.all(Array.from({ length: callsAtOnce * count }, lane))
    return (cpu() - before) / times
  }
  const filesOf = new Map<Storage | Kind, string[]>()
  const files = (storage: Storage): string[] => {
    const owner = kind === 'replicas' ? kind : storage
    const known = filesOf.get(owner) ?? []
    filesOf.set(owner, known)
    return known
  }
  const upload = async (storage: Storage) => {
    const answer = String(
      await call(storage, '/api/v0/add', { method: 'POST', body: uploadBody(randomBytes(256 * 1024)) }),
    )
    files(storage).push(JSON.parse(answer).Hash)
  }
  const read = (storage: Storage, at: number) =>
    call(storage, `/api/v0/cat?arg=${files(storage)[Math.floor(at / count) % filesRead]}`, { method: 'POST' })
  await each(upload, warmUpCalls * count)
  await each(read, warmUpCalls * count)
  return {
    count,
    kind,
    round: async () => [await each(upload, measuredCalls * count), await each(read, measuredCalls * count)],
  }
}

/**
 * Measures groups of replicas, and beside each as many services that share only the machine. What those cost more than
 * one is the price of its cores and caches, and what replicas cost more than those is the price of one database.
 */
async function replicas(counts: readonly number[]): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const groups: Group[] = []
  for (const count of counts) {
    for (const kind of count === 1 ? (['replicas'] as const) : (['replicas', 'services'] as const)) {
      groups.push(await startGroup(count, kind, stack))
    }
  }
  const rounds: Map<Group, readonly [number, number]>[] = []
  for (let at = 0; at < replicaRounds; at++) {
    const found = new Map<Group, readonly [number, number]>()
    for (const group of groups) found.set(group, await group.round())
    rounds.push(found)
  }
  /** Ratio of a group to another in the same round: median, minimum and maximum. */
  const against = (group: Group, other: Group | undefined, call: 0 | 1): string => {
    const ratios = rounds.map(
      (found) => (found.get(group)?.[call] ?? Number.NaN) / (found.get(other ?? group)?.[call] ?? Number.NaN),
    )
    return `× ${median(ratios).toFixed(2)}, ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
  }
  for (const group of groups) {
    const apart = groups.find(({ count, kind }) => count === group.count && kind === 'services')
    const column = (call: 0 | 1) => {
      const values = rounds.map((found) => found.get(group)?.[call] ?? Number.NaN)
      const toServices =
        group.kind === 'replicas' && apart !== undefined ? `; to services apart ${against(group, apart, call)}` : ''
      return `${formatNumber(median(values))} ms (to one ${against(group, groups[0], call)}${toServices})`
    }
    print(`${group.count} ${group.kind}: upload of 256 KiB ${column(0)}, read ${column(1)}`)
  }
}

const [what = '', ...numbers] = process.argv.slice(2)
const benches: Readonly<Record<string, (counts: readonly number[]) => Promise<void>>> = {
  listing,
  start: startWithPacks,
  delete: deleteFolder,
  replicas,
}
try {
  const run = benches[what]
  if (run === undefined) throw new Error(`There is no bench ${what}. There are: ${Object.keys(benches).join(', ')}`)
  await run(numbers.map(Number))
} finally {
  await postgres.stop()
  rmSync(scratch, { recursive: true, force: true })
}
