import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { MIB } from '@cairn/protocol'
import { startPostgresServer } from '@cairn/service/postgres-server-fixture'
import { startS3Proxy } from '@cairn/service/s3-proxy-fixture'
import { startS3Server } from '@cairn/service/s3-server-fixture'
import { createTestKey } from '../fixtures.ts'
import { isInstalled, seaweedfs, seaweedfsRelease, versitygw } from '../interop/binaries.ts'
import { findPort, startSeaweedfs, startVersitygw } from '../interop/s3-gateway.ts'
import { startBalancer } from './balancer.ts'
import { type Acknowledged, readFile, startLoad } from './load.ts'
import { createReplica, type Replica } from './replica.ts'

/** The effect of a fault. */
export type FailureResult = {
  fault: string
  /** From the end of the fault until all replicas are ready and an upload through each can be read from each. */
  recoverySeconds: number
  uploads: number
  failedUploads: number
  reads: number
  failedReads: number
}

/** Figures of a run. */
export type ReplicasReport = {
  store: string
  acknowledged: number
  acknowledgedBytes: number
  /** Acknowledged files that are missing or have other bytes at any replica, and those missing from the listing. */
  lost: string[]
  /** Wrong answers during the run. */
  wrong: string[]
  faults: FailureResult[]
}

/** Parameters of a run. */
export type ReplicasOptions = {
  seed: number
  /** Load before, between and after the faults. */
  calmMs: number
  /** Duration of the S3 outage. */
  outageMs: number
  log: (line: string) => void
}

/** The first installed one: a deployed store, an S3 server over a folder, one without a disk. */
async function startStore() {
  if (isInstalled(seaweedfs)) return { store: `SeaweedFS ${seaweedfsRelease}`, server: await startSeaweedfs() }
  if (isInstalled(versitygw)) return { store: `versitygw ${versitygw.version}`, server: await startVersitygw() }
  return { store: 'the S3 server of the tests', server: await startS3Server() }
}

const names = ['first', 'second', 'third']
const drainSeconds = 3
/** Time within which all replicas start, or recover from a fault. Generous, because machines are busy. */
const recoveryLimitMs = 600_000
/** Time after which a request that probes the recovery counts as failed. */
const probeLimitMs = 60_000

/** Starts three replicas behind two balancers, stops each part in turn under load, and counts what was lost. */
export async function runReplicas({ seed, calmMs, outageMs, log }: ReplicasOptions): Promise<ReplicasReport> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'cairn-replicas-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const postgres = await startPostgresServer()
  stack.defer(() => postgres.stop())
  const { store, server } = await startStore()
  stack.use(server)
  const account = 'account' in server ? server.account : { ...server, region: 'us-east-1' }
  const proxy = stack.use(await startS3Proxy(server.url))

  const environment = {
    CAIRN_DATABASE_URL: postgres.url,
    CAIRN_STORAGE_SECRET: 'ab'.repeat(32),
    CAIRN_OBJECTS_URL: `s3://${server.bucket}/cairn`,
    CAIRN_S3_ENDPOINT: proxy.url,
    CAIRN_S3_REGION: account.region,
    CAIRN_S3_FORCE_PATH_STYLE: 'on',
    CAIRN_S3_ACCESS_KEY_ID: account.accessKeyId,
    CAIRN_S3_SECRET_ACCESS_KEY: account.secretAccessKey,
    CAIRN_S3_CACHE_BYTES: String(256 * MIB),
    CAIRN_DRAIN_SECONDS: String(drainSeconds),
    CAIRN_LOG_LEVEL: 'warn',
    CAIRN_RATE_FACTOR: '0',
    CAIRN_FREE_BYTES: String(2 ** 40),
    CAIRN_FREE_TOTAL_BYTES: '',
  }
  const replicas: Replica[] = []
  for (const name of names) {
    const ports = { api: await findPort(), gateway: await findPort() }
    const replica = stack.use(createReplica(name, ports, { folder, environment }))
    replica.start()
    replicas.push(replica)
  }
  await allReady(replicas, AbortSignal.timeout(recoveryLimitMs))
  log(`three replicas on PostgreSQL and ${store}`)

  const apis = replicas.map(({ api }) => api)
  const openBalancers = async () => ({
    api: await startBalancer(
      apis,
      apis.map((api) => `${api}/readyz`),
    ),
    gateway: await startBalancer(
      replicas.map(({ gateway }) => gateway),
      apis.map((api) => `${api}/readyz?for=reads`),
    ),
  })
  const balancers = [await openBalancers(), await openBalancers()]
  stack.defer(async () => {
    for (const { api, gateway } of balancers) {
      await api[Symbol.asyncDispose]()
      await gateway[Symbol.asyncDispose]()
    }
  })
  const { apiKey } = await createTestKey({ profile: { api: apis[0] ?? '' } })
  const load = startLoad(
    () => balancers.map(({ api, gateway }) => ({ api: api.url, gateway: gateway.url })),
    apiKey,
    seed,
  )
  stack.defer(() => load.stop())

  const faults: FailureResult[] = []
  const during = async (fault: string, work: () => Promise<void>): Promise<void> => {
    await wait(calmMs)
    const before = { ...load.counts }
    await work()
    const endedAt = performance.now()
    await recovered(replicas, apiKey, fault)
    const recoverySeconds = Math.round((performance.now() - endedAt) / 100) / 10
    const grown = (count: 'uploads' | 'failedUploads' | 'reads' | 'failedReads') => load.counts[count] - before[count]
    const result: FailureResult = {
      fault,
      recoverySeconds,
      uploads: grown('uploads'),
      failedUploads: grown('failedUploads'),
      reads: grown('reads'),
      failedReads: grown('failedReads'),
    }
    faults.push(result)
    log(describe(result))
  }

  for (const replica of replicas) {
    await during(`kill -9 of the ${replica.name} replica`, async () => {
      await replica.kill()
      replica.start()
    })
  }
  await during('crash and restart of PostgreSQL', async () => {
    await postgres.crash()
    await postgres.restart()
  })
  const outages = [
    ['S3 refuses connections', 'reset'],
    ['S3 never answers', 'hang'],
  ] as const
  for (const [name, kind] of outages) {
    await during(`${name} for ${outageMs / 1000} s`, async () => {
      proxy.plan = () => ({ kind })
      await wait(outageMs)
      proxy.plan = () => undefined
    })
  }
  await during('end of a balancer, clients use the other', async () => {
    const [first] = balancers.splice(0, 1)
    await first?.api[Symbol.asyncDispose]()
    await first?.gateway[Symbol.asyncDispose]()
  })
  await during('restart of all replicas in turn, drained', async () => {
    for (const replica of replicas) {
      await replica.stop()
      replica.start()
      await replica.isReady(AbortSignal.timeout(recoveryLimitMs))
      // Until the balancers have noticed it.
      await wait(drainSeconds * 1000)
    }
  })
  await wait(calmMs)
  await load.stop()

  const lost = [...(await findLost(replicas, load.acknowledged)), ...(await findUnlisted(apis[0] ?? '', apiKey, load))]
  return {
    store,
    acknowledged: load.acknowledged.length,
    acknowledgedBytes: load.counts.uploadedBytes,
    lost,
    wrong: load.counts.wrong,
    faults,
  }
}

export function describe({ fault, recoverySeconds, ...counts }: FailureResult): string {
  const { uploads, failedUploads, reads, failedReads } = counts
  return `${fault}: recovered after ${recoverySeconds} s; uploads ${uploads} acknowledged, ${failedUploads} failed; reads ${reads} right, ${failedReads} failed`
}

async function allReady(replicas: readonly Replica[], signal: AbortSignal): Promise<void> {
  await Promise.all(replicas.map((replica) => replica.isReady(signal)))
}

/**
 * Resolves when each replica is ready and accepts an upload that every replica serves.
 * @throws Error with the last problem when this takes too long
 */
async function recovered(replicas: readonly Replica[], apiKey: string, fault: string): Promise<void> {
  const limit = AbortSignal.timeout(recoveryLimitMs)
  let problem: string | undefined
  try {
    await allReady(replicas, limit)
    for (const { name, api } of replicas) {
      for (;;) {
        problem = await findProblem(api, apiKey, replicas)
        if (problem === undefined) break
        problem = `the ${name} replica: ${problem}`
        await wait(200, undefined, { signal: limit })
      }
    }
  } catch (cause) {
    throw new Error(`no recovery from: ${fault}${problem === undefined ? '' : `; ${problem}`}`, { cause })
  }
}

/** Uploads a small file to one replica, and reads it from each. @returns what failed */
async function findProblem(api: string, apiKey: string, replicas: readonly Replica[]): Promise<string | undefined> {
  const bytes = crypto.getRandomValues(new Uint8Array(1000))
  const body = new FormData()
  body.append('file', new Blob([bytes]), 'probe.bin')
  const headers = { authorization: `Bearer ${apiKey}` }
  const signal = AbortSignal.timeout(probeLimitMs)
  try {
    const answer = await fetch(`${api}/api/v0/add`, { method: 'POST', headers, body, signal })
    const text = await answer.text()
    if (!answer.ok) return `an upload was answered with ${answer.status} ${text}`
    const { Hash: cid } = JSON.parse(text) as { Hash: string }
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
    for (const replica of replicas) {
      const result = await readAt(replica, { cid, digest, sizeBytes: bytes.length })
      if (result !== 'right') return `a read from the ${replica.name} replica was ${result}`
    }
    return undefined
  } catch (error) {
    return String(error)
  }
}

const readAt = ({ gateway }: Replica, file: Acknowledged) =>
  readFile(file, (path) => fetch(`${gateway}${path}`, { signal: AbortSignal.timeout(probeLimitMs) }))

/** Reads every acknowledged file once, alternating the replicas, and returns what failed at all of them. */
async function findLost(replicas: readonly Replica[], files: readonly Acknowledged[]): Promise<string[]> {
  const lost: string[] = []
  const queue = files.map((file, at) => ({ file, at }))
  const work = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { file, at } = next
      const replica = replicas[at % replicas.length]
      const result = replica === undefined ? 'failed' : await readAt(replica, file)
      if (result !== 'right') lost.push(`${file.cid} at the ${replica?.name} replica: ${result}`)
    }
  }
  await Promise.all([work(), work(), work(), work()])
  return lost
}

/** Lists all files of the account, and returns what is missing. */
async function findUnlisted(
  api: string,
  apiKey: string,
  { acknowledged }: { acknowledged: readonly Acknowledged[] },
): Promise<string[]> {
  const listed = new Set<string>()
  let lastKey: string | undefined
  for (;;) {
    const query = lastKey === undefined ? '' : `?lastKey=${encodeURIComponent(lastKey)}`
    const answer = await fetch(`${api}/api/user/files_uploaded${query}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    const page = (await answer.json()) as { fileList: { cid: string; id: string }[] }
    for (const { cid } of page.fileList) listed.add(cid)
    const last = page.fileList.at(-1)
    if (last === undefined) break
    lastKey = last.id
  }
  return acknowledged.filter(({ cid }) => !listed.has(cid)).map(({ cid }) => `${cid} is in no list`)
}
