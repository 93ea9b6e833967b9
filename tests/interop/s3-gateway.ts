import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { requireBinary, seaweedfs, versitygw } from './binaries.ts'

/** A separate S3 server with one bucket. */
export type S3Gateway = AsyncDisposable & { url: string; bucket: string; accessKeyId: string; secretAccessKey: string }

const startLimitMs = 180_000
const account = { accessKeyId: 'interop', secretAccessKey: 'interop-secret' }
const bucket = 'packs'

/** Starts versitygw on a free port over a new folder. @throws Error when it does not answer in time */
export async function startVersitygw(): Promise<S3Gateway> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'cairn-versitygw-'))
  stack.defer(() => rm(folder, { recursive: true }))
  for (const each of [`data/${bucket}`, 'metadata']) await mkdir(join(folder, each), { recursive: true })
  const port = await findPort()
  // Metadata in a folder, because not every temporary folder has extended attributes.
  const args = ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', '--sidecar', join(folder, 'metadata')]
  const child = spawn(requireBinary(versitygw), [...args, join(folder, 'data')], {
    env: { ROOT_ACCESS_KEY_ID: account.accessKeyId, ROOT_SECRET_ACCESS_KEY: account.secretAccessKey },
    stdio: 'ignore',
  })
  stack.defer(() => endProgram(child))
  const url = `http://127.0.0.1:${port}`
  await untilReady(child, () => answers(url))
  const running = stack.move()
  return { url, bucket, ...account, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** Starts SeaweedFS as one process on free ports over a new folder. @throws Error when it does not answer in time */
export async function startSeaweedfs(parentFolder = tmpdir()): Promise<S3Gateway> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(parentFolder, 'cairn-seaweedfs-'))
  stack.defer(() => rm(folder, { recursive: true }))
  const config = join(folder, 's3.json')
  const credentials = [{ accessKey: account.accessKeyId, secretKey: account.secretAccessKey }]
  await writeFile(config, JSON.stringify({ identities: [{ name: 'cairn', credentials, actions: ['Admin'] }] }))
  await mkdir(join(folder, 'data'))
  const args = [
    ...['server', '-ip=127.0.0.1', '-ip.bind=127.0.0.1', `-dir=${join(folder, 'data')}`, '-master.telemetry=false'],
    // One volume is created for each of several writers; each may grow to its limit.
    ...['-master.volumeSizeLimitMB=1024', '-volume.max=100', '-volume.preStopSeconds=0'],
    ...['-filer', `-filer.localSocket=${join(folder, 'filer.sock')}`, '-s3', `-s3.config=${config}`],
    ...[`-s3.localSocket=${join(folder, 's3.sock')}`, '-s3.port.iceberg=0', '-s3.port.lance=0'],
  ]
  for (const part of ['master', 'volume', 'filer', 's3']) args.push(`-${part}.port.grpc=${await findPort()}`)
  for (const part of ['master', 'volume', 'filer']) args.push(`-${part}.port=${await findPort()}`)
  const port = await findPort()
  const child = spawn(requireBinary(seaweedfs), [...args, `-s3.port=${port}`], { cwd: folder, stdio: 'ignore' })
  stack.defer(() => endProgram(child))
  const url = `http://127.0.0.1:${port}`
  await untilReady(child, () => answers(url))
  const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, credentials: account })
  stack.defer(() => client.destroy())
  // The parts of the server find each other only after it responds.
  await untilReady(child, () => client.send(new CreateBucketCommand({ Bucket: bucket })))
  const running = stack.move()
  return { url, bucket, ...account, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** Repeats a check until it succeeds. @throws Error when the program exits first, or takes too long */
async function untilReady(child: ChildProcess, check: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + startLimitMs
  for (;;) {
    try {
      await check()
      return
    } catch (cause) {
      if (child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`${child.spawnfile} did not start`, { cause })
      }
    }
    await sleep(50)
  }
}

const answers = async (url: string) => (await fetch(url)).arrayBuffer()

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
