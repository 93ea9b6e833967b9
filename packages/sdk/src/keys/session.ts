import { CairnError, type NodeSession, renewSession } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { describeFailure, type KeySession, noteFailures } from '../key-session.ts'
import { waitFor } from '../wait-for.ts'
import { callKeyNode } from './call-node.ts'

/** Time in ms before the expiry at which a token is renewed, so that no call uses one that has just expired. */
const renewBeforeMs = 60_000

/**
 * Returns the token of this session for a node, and renews it shortly before it expires. A renewed token replaces the
 * old one in the session.
 * @throws CairnError NO_SESSION if the session has none for this node, SESSION_EXPIRED
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
 * Runs work with the token of this session for a node. A token that the node reports as expired, perhaps by its own
 * clock, is renewed and used once more. If the session itself has expired there, its part is removed from the session.
 * @throws CairnError as {@link tokenFor}, and the error of the work
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
    // A concurrent call may have renewed it.
    if (own.token !== token) return work(own.token)
    return work((await waitFor(renewals.get(own) ?? beginRenewal(client, session, node, own), signal)).token)
  }
}

/** A caller may stop waiting; the renewal is shared and continues. The next call retries a failed one. */
function beginRenewal(client: Client, session: KeySession, node: number, own: NodeSession): Promise<NodeSession> {
  const pending = renew(client, session, node, own)
  renewals.set(own, pending)
  pending.catch(() => renewals.delete(own))
  return pending
}

function noPart({ failures = [] }: KeySession, node: number): CairnError {
  const failure = failures.find((one) => one.node === node)
  const message = `The session does not include key node ${node}`
  if (failure === undefined) return new CairnError('NO_SESSION', { message })
  return new CairnError('NO_SESSION', {
    message: `${message}, which rejected it: ${failure.message}`,
    hint: failure.hint,
    details: { node, code: failure.code },
  })
}

/** Renewals in progress: a refresh token is valid once, whichever call uses it first. */
const renewals = new WeakMap<NodeSession, Promise<NodeSession>>()

async function renew(client: Client, session: KeySession, node: number, own: NodeSession): Promise<NodeSession> {
  const body = { address: session.address, refreshToken: own.refreshToken }
  // The proof covers the secret of the refresh token, which the node compares.
  const secret = own.refreshToken.split('.')[1] ?? ''
  const proveWith = { key: session.sessionKey, token: secret }
  const input = { params: { node: String(node) }, body }
  try {
    const renewed = await callKeyNode(client, renewSession, node, input, { proveWith })
    session.nodes[node - 1] = renewed
    return renewed
  } catch (error) {
    // An expired part is removed, with the reason, so that the caller can sign in again there.
    if (CairnError.is(error, 'SESSION_EXPIRED')) {
      session.nodes[node - 1] = null
      noteFailures(session, [node], [describeFailure(node, error)])
    }
    throw error
  } finally {
    client.onKeySession?.(session)
  }
}
