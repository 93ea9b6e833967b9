import {
  deriveNodeKeys,
  type KeyNode,
  type KeyRouter,
  publicKeyOf,
  readKeyNodeConfig,
  readKeyRouterConfig,
  startKeyNode,
  startRouter,
} from '@cairn/keynode'
import { keyShardCount } from '@cairn/protocol'
import { keyNodeFolder, openNodeSecret } from './node-secrets.ts'

/** Five key nodes and the router before them, each with a folder and a secret of its own. */
export type KeyNetwork = AsyncDisposable & { readonly nodes: readonly KeyNode[]; readonly router: KeyRouter }

export type KeyNetworkOptions = {
  home: string
  networkName: string
  /** Port of the router and of each node; 0 takes any free one. */
  ports: { router: number; nodes: readonly number[] }
  /** `CAIRN_` settings, as the environment has them. */
  environment: Record<string, string | undefined>
  /** Names that other parts read. */
  foreign: ReadonlySet<string>
}

/** The numbers of the key nodes. */
export const nodeNumbers = Array.from({ length: keyShardCount }, (_node, i) => i + 1)

/** Starts the router and the nodes; they learn each other's addresses as they get them. */
export async function startKeyNetwork(options: KeyNetworkOptions): Promise<KeyNetwork> {
  const { home, networkName, ports, environment, foreign } = options
  await using stack = new AsyncDisposableStack()
  const nodes: KeyNode[] = []
  const urlOf = (node: number) => nodes[node - 1]?.url ?? `http://127.0.0.1:${ports.nodes[node - 1]}`

  const routerConfig = readKeyRouterConfig(
    {
      ...environment,
      CAIRN_NETWORK_NAME: networkName,
      CAIRN_KEYROUTER_PORT: String(ports.router),
      CAIRN_KEYROUTER_NODES: nodeNumbers.map(urlOf).join(','),
    },
    foreign,
  )
  const router = stack.use(
    await startRouter({
      ...routerConfig,
      get nodes() {
        return nodeNumbers.map(urlOf)
      },
    }),
  )
  const secrets = await Promise.all(nodeNumbers.map((node) => openNodeSecret(home, node)))
  const publicKeys = secrets.map((secret) => publicKeyOf(deriveNodeKeys(secret).signing))
  for (const node of nodeNumbers) {
    const config = readKeyNodeConfig(
      {
        ...environment,
        CAIRN_NETWORK_NAME: networkName,
        CAIRN_KEYNODE_NUMBER: String(node),
        CAIRN_KEYNODE_HOME: keyNodeFolder(home, node),
        CAIRN_KEYNODE_PORT: String(ports.nodes[node - 1]),
        CAIRN_KEYNODE_DOMAINS: new URL(router.url).host,
        CAIRN_KEYNODE_SECRET: Buffer.from(secrets[node - 1] ?? []).toString('hex'),
      },
      foreign,
    )
    const started = await startKeyNode({
      ...config,
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
