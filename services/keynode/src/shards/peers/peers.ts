import { CairnError, keyShardThreshold } from '@cairn/protocol'
import type { DependencyProbe } from '@cairn/service'
import type { Peer } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { PeerStatement } from './peer-statement.ts'

export type { PeerStatement } from './peer-statement.ts'

/** How many nodes, including this one, establish certainty: three, or all when the operator runs fewer. */
export function enoughNodes({ config }: Pick<Context, 'config'>): number {
  return Math.min(keyShardThreshold, config.peers.length + 1)
}

/** The statements of all peers. */
export type PeerAnswers = {
  statements: PeerStatement[]
  /** Number of peers that hold nothing. */
  empty: number
}

/** Queries all peers about a file. Peers that do not answer, or not validly, are omitted and logged. */
export async function queryPeers(context: Context, cid: string): Promise<PeerStatement[]> {
  return (await queryPeersCounted(context, cid)).statements
}

/**
 * Queries as few peers as can settle a question, and the others only if their answers do not. Each node begins with
 * those that follow it, so that all are asked equally often.
 */
export async function queryPeersUntil(
  context: Context,
  cid: string,
  minPeers: number,
  isSettled: (statements: readonly PeerStatement[]) => boolean,
): Promise<PeerStatement[]> {
  const { node, peers } = context.config
  const after = [...peers].sort((a, b) => Number(a.node < node) - Number(b.node < node) || a.node - b.node)
  const first = await askPeers(context, cid, after.slice(0, minPeers))
  if (isSettled(first.statements)) return first.statements
  const rest = await askPeers(context, cid, after.slice(minPeers))
  return [...first.statements, ...rest.statements]
}

/** As {@link queryPeers}, with the number of peers that hold nothing. */
export function queryPeersCounted(context: Context, cid: string): Promise<PeerAnswers> {
  return askPeers(context, cid, context.config.peers)
}

/** The empty file: no matter which, the answer shows whether a peer is there and knows this node. */
const probedCid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'

/**
 * Checks that each peer answers this node: they are queried only when there is something to decide, which may be days
 * apart.
 */
export function probePeers({ config, dependencies, peers }: ProbeParts): DependencyProbe[] {
  return config.peers.map(({ node }) => ({
    dependency: dependencies.add({ kind: 'keyNode', name: String(node) }),
    async probe() {
      // Within one process, nodes learn the addresses of the others as these start.
      const peer = config.peers.find((one) => one.node === node)
      if (peer !== undefined) await peers.ask(peer, probedCid)
    },
  }))
}
type ProbeParts = Pick<Context, 'config' | 'dependencies' | 'peers'>

async function askPeers(context: Context, cid: string, peers: readonly Peer[]): Promise<PeerAnswers> {
  const answers = await Promise.all(
    peers.map(async (peer) => {
      const dependency = context.dependencies.add({ kind: 'keyNode', name: String(peer.node) })
      try {
        const answer = await context.peers.ask(peer, cid)
        dependency.succeeded()
        return typeof answer === 'string' ? answer : { ...answer, node: peer.node }
      } catch (cause) {
        dependency.failed(CairnError.from(cause, 'UPSTREAM_FAILED'))
        return undefined
      }
    }),
  )
  return {
    statements: answers.filter((answer) => typeof answer === 'object'),
    empty: answers.filter((answer) => answer === 'nothing').length,
  }
}
