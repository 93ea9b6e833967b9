import { CairnError, keyShardThreshold } from '@cairn/protocol'
import type { Context } from '../context.ts'
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

/** As above, with the number of peers that hold nothing. */
export async function queryPeersCounted(context: Context, cid: string): Promise<PeerAnswers> {
  const answers = await Promise.all(
    context.config.peers.map(async (peer) => {
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
