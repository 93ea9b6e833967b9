// Storage providers that are killed, wiped and damaged, each in its own process, while uploads continue: each loss is
// noticed and repaired from an intact copy, and nothing is lost.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Client, createClient, listChecks, uploadBytes, verifyStorage } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey } from '../fixtures.ts'
import { ownAddress } from '../own-address.ts'
import { programEnvironment } from '../program-environment.ts'
import { untilProven } from '../until-proven.ts'
import { type StorageProcess, startStorageProcess } from './storage-process.ts'

const program = resolve(import.meta.dirname, '../../services/provider/src/main.ts')
const accessKey = randomBytes(32).toString('hex')
const challengeSeconds = 5

/** A provider that can be stopped and restarted on the same port and secret. */
type Keeper = {
  readonly name: string
  readonly url: string
  readonly home: string
  begin(): Promise<void>
  kill(): Promise<void>
}

/** Free ports of this process's own address, all different, which stay free. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, ownAddress))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return address.port
  })
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

function createKeeper(folder: string, name: string, port: number, source: () => string): Keeper {
  const home = join(folder, name)
  const secret = randomBytes(32).toString('hex')
  let child: ChildProcess | undefined
  return {
    name,
    home,
    url: `http://${ownAddress}:${port}`,
    async begin() {
      child = spawn(process.execPath, ['--conditions=@cairn/source', program], {
        env: {
          ...programEnvironment,
          CAIRN_PROVIDER_NAME: name,
          CAIRN_PROVIDER_HOME: home,
          CAIRN_PROVIDER_HOST: ownAddress,
          CAIRN_PROVIDER_PORT: String(port),
          CAIRN_METRICS_PORT: '0',
          CAIRN_PROVIDER_SECRET: secret,
          CAIRN_PROVIDER_KEY: accessKey,
          CAIRN_PROVIDER_SOURCES: source(),
          CAIRN_LOG_LEVEL: 'fatal',
          CAIRN_RATE_FACTOR: '0',
        },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      })
      const gone = once(child, 'exit').then(() => {
        throw new Error(`${name} ended before it was ready`)
      })
      await Promise.race([once(child, 'message'), gone])
      gone.catch(() => undefined)
    },
    async kill() {
      if (child === undefined) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      child = undefined
    },
  }
}

let folder: string
let storage: StorageProcess
let keepers: Keeper[]
let client: Client

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-providers-'))
  let api = ''
  const ports = await freePorts(3)
  keepers = ['alder', 'birch', 'cedar'].map((name, at) => createKeeper(folder, name, ports[at] ?? 0, () => api))
  const providers = keepers.map(({ name, url }) => ({ kind: 'cairn', name, url, key: accessKey }))
  storage = await startStorageProcess(join(folder, 'storage'), {
    CAIRN_PROVIDERS: JSON.stringify(providers),
    CAIRN_DEALS: JSON.stringify({ waitSeconds: 0.3, challengeSeconds, pollMs: 100 }),
    CAIRN_LOG_LEVEL: 'fatal',
  })
  api = storage.api
  await Promise.all(keepers.map((keeper) => keeper.begin()))
  const network = { name: 'test', api: storage.api, upload: storage.api, gateway: storage.gateway }
  const { apiKey } = await createTestKey({ profile: network })
  client = createClient({ network, apiKey })
})
afterAll(async () => {
  await Promise.all((keepers ?? []).map((keeper) => keeper.kill()))
  await storage?.kill()
  await rm(folder, { recursive: true, force: true })
})

test('detects and repairs killed, wiped and damaged providers while uploads continue', {
  timeout: 400_000,
}, async () => {
  const [alder, birch, cedar] = keepers
  if (alder === undefined || birch === undefined || cedar === undefined) throw new Error('there are three')
  const cids: string[] = []
  const stop = new AbortController()
  // Each upload waits for the proofs of the previous one, so that a slow machine has no more to prove than a fast one.
  const uploading = (async () => {
    while (!stop.signal.aborted) {
      const { cid } = await uploadBytes(client, randomBytes(2000 + cids.length * 997), { name: `f${cids.length}` })
      cids.push(cid)
      await untilProven(client, cid)
    }
  })()
  /** Waits until everything so far is proven by two providers, excluding the given one. */
  const untilWithout = async (name: string): Promise<void> => {
    for (const cid of [...cids]) {
      const holders = async () => {
        const { pieces } = await untilProven(client, cid)
        return pieces
          .flatMap(({ aggregate }) => aggregate?.deals ?? [])
          .filter(({ state }) => state === 'proving')
          .map(({ provider }) => provider.name)
      }
      await expect.poll(holders, { timeout: 100_000, interval: 100 }).not.toContain(name)
    }
  }
  const seen = (count: number) => expect.poll(() => cids.length, { timeout: 100_000 }).toBeGreaterThanOrEqual(count)

  await seen(5)
  await alder.kill()
  await untilWithout('alder')
  await alder.begin()

  await birch.kill()
  await rm(birch.home, { recursive: true, force: true })
  await birch.begin()
  await untilRepaired(cids, 'birch')

  const damaged = await damagePieces(cedar)
  expect(damaged).toBeGreaterThan(0)
  await untilRepaired(cids, 'cedar')

  stop.abort()
  await uploading
  for (const cid of cids) {
    // Every reported holder responds; a copy that is still damaged would not.
    await expect
      .poll(
        async () => {
          const { pieces } = await verifyStorage(client, cid)
          return pieces.every(
            ({ providers }) =>
              providers.length >= 2 && providers.every(({ challenged }) => challenged.outcome === 'proven'),
          )
        },
        { timeout: 100_000 },
      )
      .toBe(true)
    const report = await verifyStorage(client, cid, { full: true })
    expect(report.isProven, JSON.stringify(report)).toBe(true)
  }
})

/** Waits until every deal of the provider has ended as faulted, and the piece is proven by two again. */
async function untilRepaired(cids: readonly string[], name: string): Promise<void> {
  await expect
    .poll(
      async () => {
        for (const cid of cids.slice(0, 3)) {
          const { pieces } = await untilProven(client, cid)
          // A provider that took long to start was silent for a period before its loss could be noticed.
          const isFaulted = pieces[0]?.aggregate?.deals.some(
            ({ provider, state }) => provider.name === name && state === 'faulted',
          )
          if (isFaulted) return true
          for await (const check of listChecks(client, pieces[0]?.piece ?? '')) {
            if (check.outcome !== 'wrong') continue
            const deals = pieces[0]?.aggregate?.deals ?? []
            const deal = deals.find(({ id }) => id === check.dealId)
            if (deal === undefined || deal.provider.name === name) return true
          }
        }
        return false
      },
      { timeout: 100_000, interval: 200 },
    )
    .toBe(true)
  for (const cid of [...cids]) await untilProven(client, cid)
}

/** Changes a byte in the middle of every payload on a provider's disk. */
async function damagePieces({ home }: Keeper): Promise<number> {
  let count = 0
  const pieces = join(home, 'pieces')
  for (const path of await readdir(pieces, { recursive: true })) {
    if (!path.endsWith('.payload')) continue
    const file = await open(join(pieces, path), 'r+')
    try {
      const { size } = await file.stat()
      // Every group of 32 KiB is changed, so that any requested leaf shows it.
      for (let offset = 0; offset < size; offset += 16_000) {
        await file.write(Uint8Array.of(0xff, 0xfe, 0xfd), 0, 3, offset)
      }
    } finally {
      await file.close()
    }
    count++
  }
  return count
}
