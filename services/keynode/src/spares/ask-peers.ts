import { CairnError, exchangeSpares } from '@cairn/protocol'
import * as v from 'valibot'
import type { Peer } from '../config.ts'
import type { Context } from '../context.ts'
import { callPeer } from '../shards/shards.ts'
import type { SpareQuestion } from './answer.ts'
import { messageSchema, type SpareFile, type SpareMessage } from './message.ts'
import { openMessage } from './sealed-message.ts'

/** Limit in ms for one question: a peer opens up to fifty seals for it. */
const timeoutMs = 10_000

const sealedSchema = v.object({ sealed: v.string() })

/** The facts that peers have about the same files, by node; a peer that did not answer is absent. */
export type PeerFiles = ReadonlyMap<number, ReadonlyMap<string, SpareFile>>

/** Asks all peers about files. Peers that do not answer, or not validly, are logged. */
export async function askPeers(context: Context, cids: readonly string[], signal: AbortSignal): Promise<PeerFiles> {
  const answers = await Promise.all(
    context.config.peers.map(async (peer) => ({ peer, message: await askPeer(context, peer, { cids }, signal) })),
  )
  return new Map(
    answers.flatMap(({ peer, message }) =>
      message === undefined ? [] : [[peer.node, new Map(message.files.map((file) => [file.cid, file]))]],
    ),
  )
}

/** Asks one peer; undefined when it does not answer validly. */
export async function askPeer(
  context: Context,
  peer: Peer,
  question: SpareQuestion,
  signal: AbortSignal,
): Promise<SpareMessage | undefined> {
  const dependency = context.dependencies.add({ kind: 'keyNode', name: String(peer.node) })
  try {
    const call = { call: exchangeSpares, subject: exchangeSpares.id, body: question, timeoutMs, signal }
    const answer = await callPeer(context, peer, call)
    if ('code' in answer) throw new CairnError('UPSTREAM_FAILED', { message: `The peer refused: ${answer.code}` })
    const { sealed } = v.parse(sealedSchema, answer.stated)
    const message = v.parse(messageSchema, JSON.parse(await openMessage(context.keys, sealed)))
    if (message.to !== context.config.node) {
      throw new CairnError('UPSTREAM_FAILED', { message: 'The peer answered another node' })
    }
    dependency.succeeded()
    return message
  } catch (cause) {
    // This node ends.
    if (signal.aborted) return undefined
    dependency.failed(CairnError.from(cause, 'UPSTREAM_FAILED'))
    return undefined
  }
}
