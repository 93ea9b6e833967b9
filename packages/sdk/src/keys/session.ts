import type { SessionKey } from '@cairn/crypto'
import { CairnError, type NodeSession, renewSession } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { callKeyNode } from './call-node.ts'

/**
 * A session with the key nodes: one token of each, bound to a key that only this machine has, so that neither a node nor
 * anybody between can use what it sees. Plain data: keep it where secrets are kept, and give it to `createClient` again.
 */
export type KeySession = {
  address: string
  sessionKey: SessionKey
  /** In the order of the nodes; null for one that did not answer when the session was opened. */
  nodes: (NodeSession | null)[]
  /** Why nodes have no part in it, where that is so. */
  faults?: { node: number; code: string; message: string; hint: string }[]
  /** Whether it was ended where nodes could be reached: what is left of it is only good for ending it at the others. */
  isClosing?: boolean
}

/** Renewed this long before its end, so that no call meets one that has just ended. */
const renewBeforeMs = 60_000

/**
 * This session's token for a node, renewed where it is about to end. What was renewed stands in the session afterwards.
 * @throws CairnError NO_SESSION when this node has none, SESSION_EXPIRED
 */
export async function tokenFor(
  client: Client,
  session: KeySession,
  node: number,
  signal?: AbortSignal,
): Promise<string> {
  const own = session.nodes[node - 1]
  if (own == null) throw noPart(session, node)
  const now = Date.now()
  if (own.expiresAt - renewBeforeMs > now) return own.token
  if (own.refreshExpiresAt <= now) throw new CairnError('SESSION_EXPIRED')
  return (await waitFor(renewals.get(own) ?? beginRenewal(client, session, node, own), signal)).token
}

/**
 * Does something with this session's token for a node. One that the node calls ended, by its own clock perhaps, is renewed
 * and used once more; where the session itself is over there, its part is dropped from it.
 * @throws CairnError as {@link tokenFor}, and what the work throws
 */
export async function withToken<T>(
  client: Client,
  session: KeySession,
  node: number,
  work: (token: string) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const token = await tokenFor(client, session, node, signal)
  try {
    return await work(token)
  } catch (error) {
    const own = session.nodes[node - 1]
    if (!CairnError.is(error, 'SESSION_EXPIRED') || own == null) throw error
    // Another call may have renewed it meanwhile.
    if (own.token !== token) return work(own.token)
    return work((await waitFor(renewals.get(own) ?? beginRenewal(client, session, node, own), signal)).token)
  }
}

/** Whoever waits may stop waiting; the renewal is everybody's and goes on. One that failed is tried anew by the next call. */
function beginRenewal(client: Client, session: KeySession, node: number, own: NodeSession): Promise<NodeSession> {
  const pending = renew(client, session, node, own)
  renewals.set(own, pending)
  pending.catch(() => renewals.delete(own))
  return pending
}

function waitFor<T>(pending: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return pending
  return new Promise((resolve, reject) => {
    const leave = () => reject(new CairnError('ABORTED', { cause: signal.reason }))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    pending.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

function noPart({ faults = [] }: KeySession, node: number): CairnError {
  const fault = faults.find((one) => one.node === node)
  const message = `The session has no part for key node ${node}`
  if (fault === undefined) return new CairnError('NO_SESSION', { message })
  return new CairnError('NO_SESSION', {
    message: `${message}, which refused it: ${fault.message}`,
    hint: fault.hint,
    details: { node, code: fault.code },
  })
}

/** Renewals under way: a refresh token is good once, whoever asks first. */
const renewals = new WeakMap<NodeSession, Promise<NodeSession>>()

async function renew(client: Client, session: KeySession, node: number, own: NodeSession): Promise<NodeSession> {
  const body = { address: session.address, refreshToken: own.refreshToken }
  // The proof covers the secret of the refresh token, which is what the node compares.
  const secret = own.refreshToken.split('.')[1] ?? ''
  const proveWith = { key: session.sessionKey, token: secret }
  const input = { params: { node: String(node) }, body }
  try {
    const renewed = await callKeyNode(client, renewSession, node, input, { proveWith })
    session.nodes[node - 1] = renewed
    return renewed
  } catch (error) {
    // What is over is kept by nobody, so that who keeps the session signs in anew when too few parts are left.
    if (CairnError.is(error, 'SESSION_EXPIRED')) session.nodes[node - 1] = null
    throw error
  } finally {
    client.onKeySession?.(session)
  }
}
