import { randomUUID } from 'node:crypto'
import { attestKey, CairnError, callPath, keyShardThreshold } from '@cairn/protocol'
import { readLimited } from '@cairn/service'
import * as v from 'valibot'
import type { Peer } from '../config.ts'
import type { Context } from '../context.ts'
import { readStatement, signPeerToken } from '../sessions/tokens.ts'
import { type Statement, statementSchema } from './statement.ts'

/** What one peer states. */
export type PeerStatement = Statement & { node: number }

const timeoutMs = 3_000
const answerBytesMost = 1024 * 1024

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
        const answer = await askPeer(context, peer, cid)
        dependency.succeeded()
        return answer
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

async function askPeer(context: Context, peer: Peer, cid: string): Promise<PeerStatement | 'nothing'> {
  const token = await signPeerToken(context, peer.node, randomUUID())
  const response = await fetch(`${peer.url}${callPath(attestKey, { node: String(peer.node) })}`, {
    method: attestKey.method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ cid }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  const text = await readLimited(response, answerBytesMost)
  if (response.headers.get('x-cairn-code') === 'KEY_NOT_FOUND') return 'nothing'
  if (!response.ok) throw failed(`The peer answered ${response.status}`)
  const { statement } = v.parse(attestKey.response.schema, JSON.parse(text))
  const stated = v.parse(statementSchema, await readStatement(context, peer.node, statement))
  if (stated.cid !== cid) throw failed('The peer stated something about another file')
  return { ...stated, node: peer.node }
}

function failed(message: string): CairnError {
  return new CairnError('UPSTREAM_FAILED', { message })
}
