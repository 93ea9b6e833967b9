import { fileURLToPath } from 'node:url'
import {
  deriveNodeKeys,
  keyNodeSettings,
  keyRouterSettings,
  publicKeyOf,
  readKeyNodeConfig,
  readKeyRouterConfig,
} from '@cairn/keynode'
import { keyShardCount } from '@cairn/protocol'
import { listenerUrl } from '@cairn/service'
import { programs } from './bundle/programs.ts'
import { keyNodeFolder, openNodeSecret, secretFile } from './home/node-secrets.ts'
import { type Environment, pickSettings } from './pick-settings.ts'
import { createPartGroup } from './processes/part-group.ts'
import { spawnService } from './processes/spawn-service.ts'

/** A service of the key network, with its URL. */
type Part = AsyncDisposable & { readonly url: string }

/** Five key nodes and the router in front of them, each with its own folder and secret. */
export type KeyNetwork = AsyncDisposable & { readonly nodes: readonly Part[]; readonly router: Part }

export type KeyNetworkOptions = {
  home: string
  networkName: string
  host: string
  /** Port of the router and of each node; 0 selects a free one, which works only within one process. */
  ports: { router: number; nodes: readonly number[] }
  /** `processes`: each service in its own process, as operators run them. `inside`: all in this process, for tests. */
  run: 'processes' | 'inside'
  /** Public URLs of the API, once known: signed messages may contain their hosts. */
  apiUrls: () => readonly string[]
  /** Time limit for requests in progress at shutdown, in ms. */
  stopTimeoutMs: number
  /** Aborts the start. */
  signal?: AbortSignal | undefined
  /** `CAIRN_` settings from the environment. */
  environment: Environment
  /** Names that other services read. */
  foreign: ReadonlySet<string>
}

/** The numbers of the key nodes. */
export const nodeNumbers = Array.from({ length: keyShardCount }, (_node, i) => i + 1)

/**
 * Starts the router and the nodes.
 * @throws CairnError INVALID_CONFIGURATION, UNAVAILABLE
 */
export async function startKeyNetwork(options: KeyNetworkOptions): Promise<KeyNetwork> {
  const secrets = await Promise.all(nodeNumbers.map((node) => openNodeSecret(options.home, node)))
  const publicKeys = secrets.map((secret) => publicKeyOf(deriveNodeKeys(secret).signing))
  return options.run === 'processes' ? startProcesses(options, publicKeys) : startInside(options, publicKeys)
}

function routerEnvironment(
  { networkName, host, ports, environment }: KeyNetworkOptions,
  urls: readonly string[],
): Environment {
  return {
    ...environment,
    CAIRN_NETWORK_NAME: networkName,
    CAIRN_KEYROUTER_HOST: host,
    CAIRN_KEYROUTER_PORT: String(ports.router),
    CAIRN_KEYROUTER_NODES: urls.join(','),
  }
}

function nodeEnvironment(options: KeyNetworkOptions, node: number, routerUrl: string): Environment {
  const { home, networkName, host, ports, environment } = options
  return {
    ...environment,
    CAIRN_NETWORK_NAME: networkName,
    CAIRN_KEYNODE_NUMBER: String(node),
    CAIRN_KEYNODE_HOME: keyNodeFolder(home, node),
    CAIRN_KEYNODE_HOST: host,
    CAIRN_KEYNODE_PORT: String(ports.nodes[node - 1]),
    CAIRN_KEYNODE_DOMAINS: domainsOf([routerUrl, ...options.apiUrls()]).join(','),
    CAIRN_KEYNODE_SECRET_FILE: secretFile(home, node),
  }
}

function domainsOf(urls: readonly string[]): string[] {
  return urls.map((url) => new URL(url).host)
}

/** Each service is a process with a fixed port, so each knows the others in advance. */
async function startProcesses(options: KeyNetworkOptions, publicKeys: readonly string[]): Promise<KeyNetwork> {
  const { home, host, ports, stopTimeoutMs, signal } = options
  const group = createPartGroup()
  await using stack = new AsyncDisposableStack()
  stack.use(group)
  const spawnPart = (name: string, program: URL, known: Environment) =>
    spawnService({ name, program: fileURLToPath(program), environment: known, home, stopTimeoutMs, signal })
  const urls = ports.nodes.map((port) => listenerUrl(host, port))
  const starting = nodeNumbers.map((node) => {
    const peers = nodeNumbers
      .filter((other) => other !== node)
      .map((other) => `${other}=${urls[other - 1]}#${publicKeys[other - 1]}`)
    const environment = {
      ...nodeEnvironment(options, node, listenerUrl(host, ports.router)),
      CAIRN_KEYNODE_PEERS: peers.join(','),
    }
    return spawnPart(`key node ${node}`, programs.keyNode, pickSettings(environment, Object.keys(keyNodeSettings)))
  })
  const router = spawnPart(
    'key router',
    programs.keyRouter,
    pickSettings(routerEnvironment(options, urls), Object.keys(keyRouterSettings)),
  )
  const parts = await Promise.allSettled([...starting, router])
  for (const part of parts) if (part.status === 'fulfilled') group.use(part.value)
  const failed = parts.find((part) => part.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  const started = parts.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []))
  const all = started.map((part) => ({ url: part.ready.url, [Symbol.asyncDispose]: () => part[Symbol.asyncDispose]() }))
  const running = stack.move()
  const last = all.at(-1)
  if (last === undefined) throw new TypeError('there is a router')
  return { nodes: all.slice(0, -1), router: last, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** All in this process: each learns the addresses of the others as they start. */
async function startInside(options: KeyNetworkOptions, publicKeys: readonly string[]): Promise<KeyNetwork> {
  const { ports, foreign } = options
  // Loaded only here: with processes, this one needs none of it.
  const { startKeyNode, startRouter } = await import('@cairn/keynode')
  await using stack = new AsyncDisposableStack()
  const nodes: Part[] = []
  const urlOf = (node: number) => nodes[node - 1]?.url ?? `http://127.0.0.1:${ports.nodes[node - 1]}`
  const routerConfig = readKeyRouterConfig(routerEnvironment(options, nodeNumbers.map(urlOf)), foreign)
  const router = stack.use(
    await startRouter({
      ...routerConfig,
      get nodes() {
        return nodeNumbers.map(urlOf)
      },
    }),
  )
  for (const node of nodeNumbers) {
    const config = readKeyNodeConfig(nodeEnvironment(options, node, router.url), foreign)
    const started = await startKeyNode({
      ...config,
      get domains() {
        return domainsOf([router.url, ...options.apiUrls()])
      },
      get peers() {
        return nodeNumbers
          .filter((other) => other !== node)
          .map((other) => ({ node: other, url: urlOf(other), publicKey: publicKeys[other - 1] ?? '' }))
      },
    })
    nodes.push(stack.use(started))
  }
  const running = stack.move()
  return { nodes, router, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
