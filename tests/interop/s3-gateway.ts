import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireBinary, versitygw } from './binaries.ts'

/** A versitygw of its own, with one bucket. */
export type S3Gateway = AsyncDisposable & { url: string; bucket: string; accessKeyId: string; secretAccessKey: string }

const startLimitMs = 60_000

/** Starts it on a free port over a new folder. @throws Error when it does not answer in time */
export async function startS3Gateway(): Promise<S3Gateway> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'cairn-versitygw-'))
  stack.defer(() => rm(folder, { recursive: true }))
  for (const each of ['data/packs', 'metadata']) await mkdir(join(folder, each), { recursive: true })
  const account = { accessKeyId: 'interop', secretAccessKey: 'interop-secret' }
  const port = await findPort()
  // Metadata in a folder: not every temporary folder has extended attributes.
  const args = ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', '--sidecar', join(folder, 'metadata')]
  const child = spawn(requireBinary(versitygw), [...args, join(folder, 'data')], {
    env: { ROOT_ACCESS_KEY_ID: account.accessKeyId, ROOT_SECRET_ACCESS_KEY: account.secretAccessKey },
    stdio: 'ignore',
  })
  stack.defer(() => endProgram(child))
  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + startLimitMs
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('versitygw did not start')
    await sleep(50)
  }
  const running = stack.move()
  return { url, bucket: 'packs', ...account, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).arrayBuffer()
    return true
  } catch {
    return false
  }
}

/** Returns a port that is free now. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}

/** Ends a program at once. */
export async function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
