import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createApiKey, createClient } from '@cairn/sdk'
import { startNetwork } from './network.ts'
import { type Bench, type BenchOptions, formatNumber, median, pairedRatio, type Row } from './report.ts'

/** Fills an account with rows that resemble uploads: one name in a thousand contains "needle". */
function fill(home: string, address: string, count: number): void {
  const file = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((name) => /\.(db|sqlite)$/.test(name))
  if (file === undefined) throw new Error(`no SQLite database below ${home}`)
  const database = new DatabaseSync(join(home, file))
  const start = Date.now() - count
  const insert = database.prepare(
    `INSERT INTO upload (id, address, cid, root_multihash, name, mime_type, size_bytes, dag_size_bytes, encryption,
       storage_type, kind, status, created_at, updated_at, tx_hash) VALUES (?, ?, ?, ?, ?, 'text/plain', ?, ?, 0, NULL, 'file', 'queued', ?, ?, '')`,
  )
  database.exec('BEGIN')
  for (let i = 0; i < count; i++) {
    const time = start + i
    // UUIDv7: the time comes first, so that ids sort by time.
    const id = `${time
      .toString(16)
      .padStart(12, '0')
      .replace(
        /^(.{8})(.{4})$/,
        '$1-$2',
      )}-7${randomBytes(2).toString('hex').slice(1)}-8${randomBytes(2).toString('hex').slice(1)}-${randomBytes(6).toString('hex')}`
    const digest = randomBytes(32)
    const name = i % 1000 === 0 ? `needle ${i}.txt` : `file ${i}.txt`
    insert.run(
      id,
      address,
      `bafkrei${digest.toString('hex').slice(0, 52)}`,
      Buffer.concat([Buffer.from([0x12, 0x20]), digest]),
      name,
      i,
      i,
      time,
      time,
    )
  }
  const columns = new Set(
    database
      .prepare('PRAGMA table_info(account)')
      .all()
      .map((row) => row['name']),
  )
  if (columns.has('upload_count'))
    database.prepare('UPDATE account SET upload_count = ? WHERE address = ?').run(count, address)
  database.exec('COMMIT')
  database.close()
}

async function run({ scratch, runs }: BenchOptions): Promise<Row[]> {
  const times: Record<string, number[][]> = {
    'page of 1,000': [[], []],
    'page of 100': [[], []],
    'page of 100 in the middle': [[], []],
  }
  const counts = [1_000, 1_000_000]
  const homes: string[] = []
  for (const count of counts) {
    const home = join(scratch, `home-${count}`)
    homes.push(home)
    const network = await startNetwork(home)
    const wallet = network.profile.wallet
    if (wallet === undefined) throw new Error('the profile has no wallet')
    await createApiKey(createClient({ network: network.profile }), { privateKey: wallet.privateKey })
    await network[Symbol.asyncDispose]()
    fill(home, wallet.address.toLowerCase(), count)
  }
  const [few = '', many = ''] = homes
  await using a = await startNetwork(few)
  await using b = await startNetwork(many)
  const sides = await Promise.all(
    [a, b].map(async (network) => {
      const key = await createApiKey(createClient({ network: network.profile }), {
        privateKey: network.profile.wallet?.privateKey ?? '',
      })
      const get = async (query: string) => {
        const started = performance.now()
        const answer = await fetch(`${network.profile.api}/api/user/files_uploaded?${query}`, {
          headers: { authorization: `Bearer ${key}` },
        })
        const body: unknown = await answer.json()
        if (!answer.ok) throw new Error(JSON.stringify(body))
        return { ms: performance.now() - started, body }
      }
      const { body } = await get('limit=500')
      const rows =
        typeof body === 'object' && body !== null && 'fileList' in body && Array.isArray(body.fileList)
          ? body.fileList
          : []
      return { get, middle: String(rows.at(-1)?.id) }
    }),
  )
  for (let i = 0; i < runs * 4; i++) {
    for (const [at, side] of sides.entries()) {
      times['page of 1,000']?.[at]?.push((await side.get('limit=1000')).ms)
      times['page of 100']?.[at]?.push((await side.get('limit=100')).ms)
      times['page of 100 in the middle']?.[at]?.push((await side.get(`limit=100&lastKey=${side.middle}`)).ms)
    }
  }
  return Object.entries(times).map(([what, [small = [], big = []]]) => {
    const ratio = pairedRatio(big, small)
    return {
      what: `${what} among 1,000,000 uploads`,
      ours: `${formatNumber(median(big))} ms`,
      against: `among 1,000: ${formatNumber(median(small))} ms`,
      ratio,
      goal: '≤ 1.3',
      reached: ratio <= 1.3,
    }
  })
}

export const listingBench: Bench = { name: 'listing', about: 'Listing a page of uploads, on SQLite.', run }
