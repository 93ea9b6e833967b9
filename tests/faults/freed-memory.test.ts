// A client on a connection slower than its encryption: memory freed too early would send bytes that others have written
// into it.
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CliHome, createCliHome } from '../e2e/cli-home.ts'
import type { MemoryCounts } from './watch-memory.ts'

const mib = 1024 * 1024
/** More than the sockets of a connection hold, so that a large piece is in transit when the last ones are read. */
const largeBytes = 20 * mib + 70_000
/** Bytes of one turn of the relay, and its length in ms. */
const turnBytes = 64 * 1024
const turnMs = 5

let cli: CliHome
let relay: Server
let network = ''
const sockets = new Set<Socket>()

beforeAll(async () => {
  cli = await createCliHome()
  const { profile } = cli.network
  const target = new URL(profile.upload)
  relay = createServer({ highWaterMark: turnBytes }, (client) => passOn(client, Number(target.port)))
  await new Promise<void>((done) => relay.listen(0, '127.0.0.1', done))
  const address = relay.address()
  if (address === null || typeof address === 'string') throw new Error('the relay has no port')
  network = join(cli.folder, 'slow.json')
  await writeFile(network, JSON.stringify({ ...profile, upload: `http://127.0.0.1:${address.port}` }))
  await writeFile(join(cli.folder, 'large'), randomBytes(largeBytes))
  await mkdir(join(cli.folder, 'mixed'))
  await writeFile(join(cli.folder, 'mixed', 'a'), randomBytes(largeBytes))
  for (let i = 0; i < 30; i++) await writeFile(join(cli.folder, 'mixed', `b${i}`), randomBytes(10 + i * 1000))
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise<void>((done) => void relay.close(() => done()))
  await cli[Symbol.asyncDispose]()
})

/** Forwards a client's bytes, some per turn. */
function passOn(client: Socket, port: number): void {
  const server = connect(port, '127.0.0.1')
  for (const socket of [client, server]) {
    sockets.add(socket)
    socket.on('error', () => client.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      client.destroy()
      server.destroy()
    })
  }
  server.pipe(client)
  client.on('end', () => server.end())
  client.on('data', (bytes) => {
    client.pause()
    server.write(bytes)
    setTimeout(() => client.resume(), turnMs)
  })
}

test.each([
  ['an encrypted file', ['upload', '--encrypt', 'large']],
  ['an encrypted file of the second format', ['upload', '--encrypt', '--format', 'v2', 'large']],
  ['encrypted files of a folder', ['upload', '--encrypt', 'mixed']],
  ['a folder that is encrypted as one', ['upload', '--encrypt', '--as-one', 'mixed']],
  ['a file', ['upload', 'large']],
  ['a folder', ['upload', 'mixed']],
])('frees no memory of %s before it is sent', async (_name, args) => {
  const log = join(cli.folder, 'memory.log')
  const watch = pathToFileURL(join(import.meta.dirname, 'watch-memory.ts')).href
  const env = { CAIRN_NETWORK: network, CAIRN_MEMORY_LOG: log, NODE_OPTIONS: `--import=${watch}` }
  const { code, err } = await cli.cairn(args, { asProcess: true, env })
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
  const counts: MemoryCounts[] = (await readFile(log, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  await rm(log)
  expect(counts.map(({ freedEarly }) => freedEarly)).toEqual(counts.map(() => 0))
  // A large file is sent in several pieces, whose memory is freed if the client allocated it.
  const sent = counts.reduce((sum, one) => sum + one.sent, 0)
  const freed = counts.reduce((sum, one) => sum + one.freed, 0)
  expect(sent).toBeGreaterThan(largeBytes / mib)
  if (args.includes('--encrypt')) expect(freed).toBeGreaterThan(largeBytes / mib / 2)
})
