import type { SessionKey } from '@cairn/crypto'
import {
  CairnError,
  type CallResult,
  getNonce,
  keyShardThreshold,
  normalizeIdentity,
  openSession,
  signInTextLifetimeMs,
} from '@cairn/protocol'
import type { Signer } from '../account/api-keys.ts'
import { resolveSigner } from '../account/resolve-signer.ts'
import type { Client } from '../client.ts'
import { type Answer, askNodes } from './ask-nodes.ts'
import { callKeyNode, nodeNumbers } from './call-node.ts'
import { loadSessionTools } from './load-session-tools.ts'
import type { KeySession } from './session.ts'

export type SessionOptions = {
  /** Chain that a contract wallet is on; every configured one unless told. */
  chain?: string
  /** Signs the session's requests; a fresh one unless told. */
  sessionKey?: SessionKey
  signal?: AbortSignal
}

/** Nodes that are slower than this, once three have answered, have no part in the session. */
const patienceMs = 2_000

/** What a text to sign says of its time, its place and its signer. */
export type TextSubject = { id: string; domain: string; address: string; issuedAt: number; expiresAt: number }

/** What each node gave for a text, in order. */
export type NodeNonces = readonly Answer<CallResult<typeof getNonce>>[]

/**
 * Opens a session: each node gives a nonce, the wallet signs one EIP-4361 text with all of them, each node checks it alone.
 * @throws CairnError NO_KEY_NODES, KEY_NODES_UNAVAILABLE (fewer than three answer), INVALID_SIGNATURE, INVALID_ADDRESS
 */
export async function openKeySession(
  client: Client,
  signer: Signer,
  options: SessionOptions = {},
): Promise<KeySession> {
  const wallet = await resolveSigner(signer)
  const { createSessionKey, writeSignIn } = await loadSessionTools()
  const { signal, sessionKey = createSessionKey() } = options
  const subject = describeText(domainOf(client), wallet.address)
  const nonces = await gatherNonces(client, subject, signal)
  requireThree(nonces)
  const networks = nonces.flatMap((answer) => ('value' in answer ? [answer.value.network] : []))
  // One node alone could name another, and none of the others would take the text.
  const network = networks.find((one) => networks.filter((other) => other === one).length >= keyShardThreshold)
  const message = writeSignIn({
    ...subject,
    network: network ?? client.network.name,
    nonces: noncesOf(nonces),
    sessionKey: sessionKey.publicKey,
  })
  const signature = await wallet.sign(message)
  return openAtNodes(client, { address: subject.address, message, signature, sessionKey, nonces }, options)
}

/** A text of now for an address. @throws CairnError INVALID_ADDRESS */
export function describeText(domain: string, given: string): TextSubject {
  const address = normalizeIdentity(given)
  if (address === '') throw new CairnError('INVALID_ADDRESS')
  const issuedAt = Date.now()
  return { id: crypto.randomUUID(), domain, address, issuedAt, expiresAt: issuedAt + signInTextLifetimeMs }
}

/** Each node's nonce for a text. @throws CairnError ABORTED */
export async function gatherNonces(
  client: Client,
  subject: TextSubject,
  signal: AbortSignal | undefined,
): Promise<NodeNonces> {
  const nonces = await askNodes(
    nodeNumbers,
    (node) => callKeyNode(client, getNonce, node, { params: { node: String(node) }, body: subject }, { signal }),
    patienceMs,
  )
  if (signal?.aborted) throw new CairnError('ABORTED', { cause: signal.reason })
  return nonces
}

/** The nonces as a text has them. */
export function noncesOf(nonces: NodeNonces): (string | undefined)[] {
  return nonces.map((answer) => ('value' in answer ? answer.value.nonce : undefined))
}

/** What a wallet signed, and with which nonces. */
export type SignedText = {
  address: string
  message: string
  signature: string
  sessionKey: SessionKey
  nonces: NodeNonces
}

/**
 * Shows a signed text to the nodes whose nonces it has.
 * @throws CairnError KEY_NODES_UNAVAILABLE (fewer than three open a session), what three refuse it with, ABORTED
 */
export async function openAtNodes(
  client: Client,
  { address, message, signature, sessionKey, nonces }: SignedText,
  { chain, signal }: Pick<SessionOptions, 'chain' | 'signal'>,
): Promise<KeySession> {
  const body = { address, messages: [message], signature, chain: chain ?? 'ALL' }
  const sessions = await askNodes(
    nodeNumbers,
    async (node) => {
      if (!('value' in (nonces[node - 1] ?? {}))) throw new CairnError('KEY_NODES_UNAVAILABLE')
      return callKeyNode(client, openSession, node, { params: { node: String(node) }, body }, { signal })
    },
    patienceMs,
  )
  if (signal?.aborted) throw new CairnError('ABORTED', { cause: signal.reason })
  requireThree(sessions)
  const faults = sessions.flatMap((answer, i) => {
    // What the first call failed with says more than that there was no second one.
    const first = nonces[i]
    const cause = first !== undefined && 'error' in first ? first : answer
    if (!('error' in cause)) return []
    const { code, message: reason, hint } = cause.error
    return [{ node: i + 1, code, message: reason, hint }]
  })
  return {
    address,
    sessionKey,
    nodes: sessions.map((answer) => ('value' in answer ? answer.value : null)),
    ...(faults.length === 0 ? {} : { faults }),
  }
}

/** Host that a signature for key nodes alone counts for: the router's, under which users know the nodes. */
function domainOf({ network }: Client): string {
  const url = network.keyRouter ?? network.keyNodes?.[0]
  if (url === undefined) throw new CairnError('NO_KEY_NODES')
  return new URL(url).host
}

/** @throws CairnError KEY_NODES_UNAVAILABLE, or what nodes refused with, where fewer than three answered rightly */
export function requireThree(answers: readonly Answer<unknown>[]): void {
  const errors = answers.flatMap((answer, i) => ('error' in answer ? [{ node: i + 1, error: answer.error }] : []))
  if (answers.length - errors.length >= keyShardThreshold) return
  const isDown = (code: string) => ['NETWORK_ERROR', 'TIMEOUT', 'KEY_NODES_UNAVAILABLE'].includes(code)
  const refusal = errors.find(({ error }) => !isDown(error.code))
  if (refusal !== undefined) throw refusal.error
  throw new CairnError('KEY_NODES_UNAVAILABLE', {
    details: { nodes: errors.map(({ node, error }) => ({ node, code: error.code })) },
    cause: errors[0]?.error,
  })
}
