import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'

const folders = [15, 16, 17, 18].map((version) => `/usr/lib/postgresql/${version}/bin`)

/** A PostgreSQL server of its own, for one test file. */
export type PostgresFixture = {
  readonly pid: number
  /** Makes an empty database and answers its URL. */
  createDatabase(): Promise<string>
  /** Makes a copy of a database that nobody is connected to, as a backup that was restored; answers its URL. */
  copyDatabase(url: string): Promise<string>
  stop(): Promise<void>
}

/** Starts a real PostgreSQL in a temporary folder, on a free port of 127.0.0.1; as user postgres when run by root. */
export async function startPostgres(): Promise<PostgresFixture> {
  const bin = folders.find((folder) => existsSync(join(folder, 'initdb')))
  if (bin === undefined) {
    throw new Error(
      `These tests need PostgreSQL: no initdb in ${folders.join(', ')}. On Debian: apt install postgresql`,
    )
  }
  const owner = process.getuid?.() === 0 ? { uid: userNumber('-u'), gid: userNumber('-g') } : {}
  const folder = await mkdtemp(join(tmpdir(), 'cairn-postgres-'))
  if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'cairn', '--auth=trust', '--no-sync', '-E', 'UTF8'], {
    ...owner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const port = await freePort()
  const options = { listen_addresses: '127.0.0.1', unix_socket_directories: folder, max_connections: '60' }
  const settings = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-p', `${port}`, ...settings], {
    ...owner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await isReady(server)
  const urlOf = (database: string): string => `postgres://cairn@127.0.0.1:${port}/${database}`
  const createFrom = async (template: string): Promise<string> => {
    const client = new pg.Client({ connectionString: urlOf('postgres') })
    await client.connect()
    const name = `t${randomUUID().replaceAll('-', '')}`
    await client.query(`create database ${name} template ${template}`)
    await client.end()
    return urlOf(name)
  }
  return {
    pid: server.pid ?? 0,
    createDatabase: () => createFrom('template1'),
    copyDatabase: (url) => createFrom(new URL(url).pathname.slice(1)),
    async stop() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      if (server.exitCode === null) {
        // Fast shutdown.
        server.kill('SIGINT')
        await ended
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function userNumber(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}

function isReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)))
    const { stderr } = server
    if (stderr === null) return reject(new Error('PostgreSQL has no stderr'))
    createInterface({ input: stderr }).on('line', (line) => {
      said += `${line}\n`
      if (line.includes('database system is ready')) resolve()
    })
  })
}
