import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readKeyNodeConfig } from '../../config.ts'
import type { Caller, Context } from '../../context.ts'
import { deriveNodeKeys } from '../../identity.ts'
import { publicKeyOf } from '../../sessions/tokens.ts'
import { type KeyNode, startKeyNode } from '../../start.ts'

/** Five nodes that query each other over HTTP, with one clock; tests act on the code behind their routes. */
export type FivePeers = AsyncDisposable & {
  of(node: number): Context
  readonly all: readonly Context[]
  pass(ms: number): void
  /** Stops a node and starts another with its number, its own key, and nothing stored. */
  replace(node: number): Promise<void>
  /** Makes the others reach another server instead of a node, until it is called with the returned URL. */
  reroute(node: number, url: string): string
}

const numbers = [1, 2, 3, 4, 5]

/** @param environmentOf settings of each node besides its number, folder and secret, such as its own database */
export async function startFivePeers(
  environmentOf: (node: number) => Promise<Record<string, string>> = async () => ({}),
): Promise<FivePeers> {
  const home = await mkdtemp(join(tmpdir(), 'cairn-peers-'))
  const urls = new Map<number, string>()
  const nodes: KeyNode[] = []
  const publicKeys = new Map<number, string>()
  let skewMs = 0
  const start = async (node: number, secret: Buffer, folder: string) => {
    const config = readKeyNodeConfig({
      CAIRN_KEYNODE_NUMBER: String(node),
      CAIRN_KEYNODE_HOME: join(home, folder),
      CAIRN_KEYNODE_PORT: '0',
      CAIRN_KEYNODE_DOMAINS: 'keys.test',
      CAIRN_KEYNODE_SECRET: secret.toString('hex'),
      CAIRN_RATE_FACTOR: '0',
      CAIRN_STOP_TIMEOUT_SECONDS: '0',
      CAIRN_LOG_LEVEL: 'fatal',
      ...(await environmentOf(node)),
    })
    const started = await startKeyNode(
      {
        ...config,
        get peers() {
          return numbers
            .filter((other) => other !== node)
            .map((other) => ({
              node: other,
              url: urls.get(other) ?? 'http://127.0.0.1:9',
              publicKey: publicKeys.get(other) ?? '',
            }))
        },
      },
      {
        clock: { now: () => Date.now() + skewMs },
        // Tests make each step themselves.
        background: () => ({ [Symbol.asyncDispose]: async () => undefined }),
      },
    )
    urls.set(node, started.url)
    publicKeys.set(node, started.publicKey)
    nodes[node - 1] = started
  }
  for (const node of numbers) publicKeys.set(node, publicKeyOf(deriveNodeKeys(Buffer.alloc(32, node)).signing))
  for (const node of numbers) await start(node, Buffer.alloc(32, node), String(node))
  const of = (node: number) => {
    const found = nodes[node - 1]
    if (found === undefined) throw new RangeError(`There is no node ${node}`)
    return found.context
  }
  return {
    of,
    get all() {
      return nodes.map(({ context }) => context)
    },
    pass(ms) {
      skewMs += ms
    },
    reroute(node, url) {
      const before = urls.get(node) ?? ''
      urls.set(node, url)
      return before
    },
    async replace(node) {
      await nodes[node - 1]?.[Symbol.asyncDispose]()
      await start(node, Buffer.alloc(32, node + 100), `${node}-new`)
    },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** A caller with a session; the challenge id identifies the session. */
export function callerOf(letter: string, challengeId = `session-of-${letter}`): Caller {
  return {
    address: `0x${letter.repeat(40)}`,
    challengeId,
    sessionId: challengeId,
    isBound: false,
    peer: undefined,
  }
}
