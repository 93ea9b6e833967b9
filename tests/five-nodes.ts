import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import { deriveNodeKeys, type KeyNode, publicKeyOf, readKeyNodeConfig, startKeyNode } from '@cairn/keynode'
import type { NetworkProfile } from '@cairn/protocol'
import { type Client, createClient, openKeySession } from '@cairn/sdk'
import pino from 'pino'
import { generatePrivateKey } from 'viem/accounts'
import { ownAddress } from './own-address.ts'

/** Five key nodes whose processes and disks a test can remove, without a storage service. */
export type FiveNodes = AsyncDisposable & {
  readonly profile: NetworkProfile
  readonly lines: readonly string[][]
  stop(node: number): Promise<void>
  start(node: number): Promise<void>
  /** Copies the folder of a stopped node. */
  backUp(node: number): Promise<string>
  restore(node: number, backup: string): Promise<void>
  folder(node: number): string
  /** Opens a node's database, as its operator can. The caller closes it. */
  openDatabase(node: number): DatabaseSync
  /** Changes a node's database without the node, as a dishonest operator would. */
  forge(node: number, sql: string, ...values: (string | number)[]): void
  /** Settings of a node, without its peers. */
  environment(node: number): Record<string, string>
  url(node: number): string
  client(privateKey?: `0x${string}`): Promise<Client & { address: string; privateKey: `0x${string}` }>
}

const numbers = [1, 2, 3, 4, 5]

export async function startFiveNodes(
  environment: Record<string, string> = {},
  /** Clock offset of each node, in ms. */
  skewsMs: readonly number[] = [],
): Promise<FiveNodes> {
  const home = await mkdtemp(join(tmpdir(), 'cairn-five-'))
  const folder = (node: number) => join(home, String(node))
  const secretOf = (node: number) => Buffer.alloc(32, node)
  const publicKeys = new Map(numbers.map((node) => [node, publicKeyOf(deriveNodeKeys(secretOf(node)).signing)]))
  const running = new Map<number, KeyNode>()
  const ports = new Map<number, number>()
  const lines: string[][] = numbers.map(() => [])
  const url = (node: number) => `http://${ownAddress}:${ports.get(node) ?? 9}`

  const environmentOf = (node: number): Record<string, string> => ({
    CAIRN_KEYNODE_NUMBER: String(node),
    CAIRN_KEYNODE_HOME: folder(node),
    CAIRN_KEYNODE_HOST: ownAddress,
    CAIRN_KEYNODE_PORT: String(ports.get(node) ?? 0),
    CAIRN_METRICS_PORT: '0',
    CAIRN_KEYNODE_DOMAINS: 'keys.test',
    CAIRN_KEYNODE_SECRET: secretOf(node).toString('hex'),
    CAIRN_RATE_FACTOR: '0',
    CAIRN_STOP_TIMEOUT_SECONDS: '0',
    ...environment,
  })

  const start = async (node: number): Promise<void> => {
    const config = readKeyNodeConfig(environmentOf(node))
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines[node - 1]?.push(String(chunk))
        done()
      },
    })
    const peers = () =>
      numbers
        .filter((other) => other !== node)
        .map((other) => ({ node: other, url: url(other), publicKey: publicKeys.get(other) ?? '' }))
    const started = await startKeyNode(
      {
        ...config,
        get peers() {
          return peers()
        },
      },
      {
        log: pino({ level: 'trace' }, sink),
        clock: { now: () => Date.now() + (skewsMs[node - 1] ?? 0) },
      },
    )
    running.set(node, started)
    ports.set(node, Number(new URL(started.url).port))
  }
  const stop = async (node: number): Promise<void> => {
    await running.get(node)?.[Symbol.asyncDispose]()
    running.delete(node)
  }
  for (const node of numbers) await start(node)
  const openDatabase = (node: number): DatabaseSync =>
    new DatabaseSync(join(folder(node), 'keynode.sqlite'), { timeout: 5000, enableForeignKeyConstraints: false })
  const base = 'http://127.0.0.1:9'
  const profile: NetworkProfile = {
    name: 'local',
    api: base,
    upload: base,
    gateway: base,
    keyRouter: 'http://keys.test',
    keyNodes: numbers.map(url),
    keyNodePauseMs: 0,
  }
  return {
    profile,
    lines,
    stop,
    start,
    folder,
    environment: environmentOf,
    openDatabase,
    forge(node, sql, ...values) {
      using db = openDatabase(node)
      db.prepare(sql).run(...values)
    },
    url,
    async backUp(node) {
      const target = join(home, `backup-${node}-${crypto.randomUUID()}`)
      await cp(folder(node), target, { recursive: true })
      return target
    },
    async restore(node, backup) {
      await rm(folder(node), { recursive: true, force: true })
      await cp(backup, folder(node), { recursive: true })
    },
    async client(privateKey = generatePrivateKey()) {
      const plain = createClient({ network: profile, callTimeoutMs: 4000 })
      const keySession = await openKeySession(plain, { privateKey })
      return { ...plain, keySession, address: keySession.address, privateKey }
    },
    async [Symbol.asyncDispose]() {
      for (const node of numbers) await stop(node)
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** A client with wrong URLs for some nodes. */
export function without<C extends Client>(client: C, ...nodes: number[]): C {
  return withNodes(client, Object.fromEntries(nodes.map((node) => [node, 'http://127.0.0.1:9'])))
}

/** A client with other URLs for some nodes. */
export function withNodes<C extends Client>(client: C, urls: Record<number, string>): C {
  const keyNodes = (client.network.keyNodes ?? []).map((own, i) => urls[i + 1] ?? own)
  return { ...client, network: { ...client.network, keyNodes } }
}

/** A proxy of a node that changes its responses as a test specifies. */
export async function startLiar(
  target: string,
  lie: (request: IncomingMessage, answer: { status: number; body: string }, response: ServerResponse) => void,
  /** Whether a request is forwarded at all. */
  reaches: (request: IncomingMessage) => boolean = () => true,
): Promise<AsyncDisposable & { url: string }> {
  const server: Server = createServer((request, response) => {
    const pass = async () => {
      if (!reaches(request)) return void response.destroy()
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece)
      const headers: Record<string, string> = {}
      for (const name of ['authorization', 'content-type', 'x-cairn-proof']) {
        const value = request.headers[name]
        if (typeof value === 'string') headers[name] = value
      }
      const body = Buffer.concat(pieces)
      const answer = await fetch(`${target}${request.url}`, {
        method: request.method ?? 'GET',
        headers,
        ...(body.length === 0 ? {} : { body }),
      })
      response.setHeader('content-type', 'application/json')
      const code = answer.headers.get('x-cairn-code')
      if (code !== null) response.setHeader('x-cairn-code', code)
      lie(request, { status: answer.status, body: await answer.text() }, response)
    }
    pass().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
