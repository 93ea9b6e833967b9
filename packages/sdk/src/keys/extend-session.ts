import { CairnError, normalizeIdentity } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type KeySession, lackingNodes, noteFailures, requireOpen } from '../key-session.ts'
import { resolveSigner, type Signer } from '../signer/resolve-signer.ts'
import { describeFailures, presentToNodes, type SessionOptions, signForNodes } from './open-session.ts'

/**
 * Signs in again at the nodes that a session lacks, with one signature. The session keeps its parts and its key, and gets the new
 * parts. Does nothing if the session has all nodes.
 * @throws CairnError INVALID_SIGNATURE if the signer is not that of the session, SESSION_EXPIRED if the session was closed, the
 *   error of the first of these nodes if none opens a session, KEY_NODES_UNAVAILABLE, ABORTED, and the errors of the signer
 */
export async function extendKeySession(
  client: Client,
  session: KeySession,
  signer: Signer,
  options: Pick<SessionOptions, 'chain' | 'signal'> = {},
): Promise<void> {
  requireOpen(session)
  const nodes = lackingNodes(session)
  if (nodes.length === 0) return
  const wallet = await resolveSigner(signer)
  if (normalizeIdentity(wallet.address) !== session.address) {
    throw new CairnError('INVALID_SIGNATURE', {
      message: `The signer is not ${session.address}, whose session this is`,
    })
  }
  const { sessionKey } = session
  const signed = await signForNodes(client, wallet, { sessionKey, nodes, signal: options.signal })
  // The session may have been closed while the user was signing.
  requireOpen(session)
  const answers = await presentToNodes(client, signed, nodes, options)
  for (const [i, node] of nodes.entries()) {
    const answer = answers[i]
    if (answer !== undefined && 'value' in answer) session.nodes[node - 1] = answer.value
  }
  const failures = describeFailures(answers, nodes)
  noteFailures(session, nodes, failures)
  client.onKeySession?.(session)
  if (failures.length < nodes.length) return
  throw answers.flatMap((answer) => ('error' in answer ? [answer.error] : []))[0]
}
