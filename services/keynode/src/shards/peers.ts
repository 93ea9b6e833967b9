import { CairnError, keyShardThreshold } from '@cairn/protocol'
import type { Context } from '../context.ts'
import type { Statement } from './statement.ts'

/** What one peer states. */
export type PeerStatement = Statement & { node: number }

/** How many nodes, this one among them, make something certain: three, or all where the operator runs fewer. */
export function enoughNodes({ config }: Pick<Context, 'config'>): number {
  return Math.min(keyShardThreshold, config.peers.length + 1)
}

/** What all peers together state. */
export type PeerAnswers = {
  statements: PeerStatement[]
  /** How many said that they hold nothing. */
  empty: number
}

/** Asks all peers what they hold about a file. Those that do not answer, or not rightly, are left out and logged. */
export async function askPeers(context: Context, cid: string): Promise<PeerStatement[]> {
  return (await questionPeers(context, cid)).statements
}

/** The same, and how many hold nothing. */
export async function questionPeers(context: Context, cid: string): Promise<PeerAnswers> {
  const answers = await Promise.all(
    context.config.peers.map(async (peer) => {
      const dependency = context.dependencies.add({ kind: 'keyNode', name: String(peer.node) })
      try {
        const answer = await context.peers.ask(peer, cid)
        dependency.succeeded()
        return answer === 'nothing' ? answer : { ...answer, node: peer.node }
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
