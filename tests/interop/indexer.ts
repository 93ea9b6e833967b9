import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { requireBinary, storetheindex } from './binaries.ts'
import { runProgram } from './run-program.ts'
import { endProgram, findPort } from './s3-gateway.ts'

/** A separate indexer. `findUrl` answers queries, `ingestUrl` accepts announcements. */
export type Indexer = AsyncDisposable & { findUrl: string; ingestUrl: string }

const startLimitMs = 60_000

/** Starts a storetheindex on free ports of 127.0.0.1, without peers. @throws Error when it does not start in time */
export async function startIndexer(): Promise<Indexer> {
  await using stack = new AsyncDisposableStack()
  const program = requireBinary(storetheindex)
  const folder = await mkdtemp(join(tmpdir(), 'cairn-indexer-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  const env = { PATH: process.env['PATH'], HOME: folder, STORETHEINDEX_PATH: folder }
  const [find, ingest] = [await findPort(), await findPort()]
  const listen = [
    `--listen-finder=/ip4/127.0.0.1/tcp/${find}`,
    `--listen-ingest=/ip4/127.0.0.1/tcp/${ingest}`,
    '--listen-p2p=/ip4/127.0.0.1/tcp/0',
    '--listen-admin=none',
    '--listen-car-mirror=none',
  ]
  await runProgram(program, ['init', '--no-bootstrap', '--store=memory', ...listen], { cwd: folder, env })
  const args = ['daemon', '--watch-config=false', ...listen]
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] })
  stack.defer(() => endProgram(child))
  const timer = setTimeout(() => child.kill('SIGKILL'), startLimitMs)
  const lines = createInterface({ input: child.stdout })
  const ready = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (line.startsWith('Indexer is ready')) resolve()
    })
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error('storetheindex did not start')
  })
  await Promise.race([ready, ended])
  ended.catch(() => undefined)
  clearTimeout(timer)
  const running = stack.move()
  return {
    findUrl: `http://127.0.0.1:${find}`,
    ingestUrl: `http://127.0.0.1:${ingest}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
