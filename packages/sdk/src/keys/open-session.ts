import type { SessionKey } from '@cairn/crypto'
import {
  CairnError,
  type CallResult,
  getNonce,
  keyShardThreshold,
  type NodeSession,
  normalizeIdentity,
  openSession,
  signInTextLifetimeMs,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { describeFailure, type KeySession } from '../key-session.ts'
import { resolveSigner, type Signer } from '../signer/resolve-signer.ts'
import type { ResolvedSigner } from '../signer/signer.ts'
import { throwIfAborted } from '../throw-if-aborted.ts'
import { callKeyNode, nodeNumbers } from './call-node.ts'
import { loadSessionTools } from './load-session-tools.ts'
import { type Answer, settleNodes } from './settle-nodes.ts'

export type SessionOptions = {
  /** Chain of a contract wallet. Defaults to every configured chain. */
  chain?: string
  /** Signs the requests of the session. Defaults to a new key. */
  sessionKey?: SessionKey
  signal?: AbortSignal
}

/** Limit in ms for slower nodes once three have answered; later ones are not part of the session. */
const patienceMs = 2_000

/** Time, domain and signer of a message to sign. */
export type TextSubject = { id: string; domain: string; address: string; issuedAt: number; expiresAt: number }

/** The nonce that each node issued for a message, in node order. */
export type NodeNonces = readonly Answer<CallResult<typeof getNonce>>[]

/**
 * Opens a session. Each node issues a nonce, the wallet signs one EIP-4361 message with all of them, and each node
 * verifies it independently.
 * @throws CairnError NO_KEY_NODES, KEY_NODES_UNAVAILABLE (fewer than three answer), INVALID_SIGNATURE, INVALID_ADDRESS
 * @see https://eips.ethereum.org/EIPS/eip-4361
 */
export async function openKeySession(
  client: Client,
  signer: Signer,
  options: SessionOptions = {},
): Promise<KeySession> {
  const wallet = await resolveSigner(signer)
  const { createSessionKey } = await loadSessionTools()
  const { signal, sessionKey = createSessionKey() } = options
  const signed = await signForNodes(client, wallet, { sessionKey, nodes: nodeNumbers, signal })
  return openAtNodes(client, signed, options)
}

/**
 * Fetches nonces and has the wallet sign a message for these nodes.
 * @throws CairnError KEY_NODES_UNAVAILABLE (fewer than three nodes answer), INVALID_ADDRESS, ABORTED, the error of the
 *   first of these nodes if none of them gives a nonce, and the errors of the wallet
 */
export async function signForNodes(
  client: Client,
  wallet: ResolvedSigner,
  { sessionKey, nodes, signal }: { sessionKey: SessionKey; nodes: readonly number[]; signal: AbortSignal | undefined },
): Promise<SignedText> {
  const subject = describeText(domainOf(client), wallet.address)
  const answers = await gatherNonces(client, subject, signal)
  requireThree(answers)
  const networks = answers.flatMap((answer) => ('value' in answer ? [answer.value.network] : []))
  // A single node could name another network, and the other nodes would then reject the message.
  const network = networks.find((one) => networks.filter((other) => other === one).length >= keyShardThreshold)
  const named = noncesOf(answers).map((nonce, i) => (nodes.includes(i + 1) ? nonce : undefined))
  if (named.every((nonce) => nonce === undefined)) {
    throw answers.flatMap((answer, i) => ('error' in answer && nodes.includes(i + 1) ? [answer.error] : []))[0]
  }
  const { writeSignIn } = await loadSessionTools()
  const message = writeSignIn({
    ...subject,
    network: network ?? client.network.name,
    nonces: named,
    sessionKey: sessionKey.publicKey,
  })
  const signature = await wallet.sign(message)
  return { address: subject.address, message, signature, sessionKey, nonces: answers }
}

/**
 * Describes a message for an address, issued now.
 * @throws CairnError INVALID_ADDRESS
 */
export function describeText(domain: string, given: string): TextSubject {
  const address = normalizeIdentity(given)
  if (address === '') throw new CairnError('INVALID_ADDRESS')
  const issuedAt = Date.now()
  return { id: crypto.randomUUID(), domain, address, issuedAt, expiresAt: issuedAt + signInTextLifetimeMs }
}

/**
 * Fetches the nonce of each node for a message.
 * @throws CairnError ABORTED
 */
export async function gatherNonces(
  client: Client,
  subject: TextSubject,
  signal: AbortSignal | undefined,
): Promise<NodeNonces> {
  const nonces = await settleNodes(
    nodeNumbers,
    (node, ended) =>
      callKeyNode(client, getNonce, node, { params: { node: String(node) }, body: subject }, { signal: ended }),
    { lateMs: patienceMs, signal },
  )
  throwIfAborted(signal)
  return nonces
}

/** Returns the nonces in the form of a message. */
export function noncesOf(nonces: NodeNonces): (string | undefined)[] {
  return nonces.map((answer) => ('value' in answer ? answer.value.nonce : undefined))
}

/** A message that a wallet signed, with its nonces. */
export type SignedText = {
  address: string
  message: string
  signature: string
  sessionKey: SessionKey
  nonces: NodeNonces
}

/**
 * Presents a signed message to the nodes whose nonces it has.
 * @throws CairnError KEY_NODES_UNAVAILABLE (fewer than three open a session), the code that three nodes reject with,
 *   ABORTED
 */
export async function openAtNodes(
  client: Client,
  signed: SignedText,
  options: Pick<SessionOptions, 'chain' | 'signal'>,
): Promise<KeySession> {
  const sessions = await presentToNodes(client, signed, nodeNumbers, options)
  requireThree(sessions)
  const failures = describeFailures(sessions, nodeNumbers)
  return {
    address: signed.address,
    sessionKey: signed.sessionKey,
    nodes: sessions.map((answer) => ('value' in answer ? answer.value : null)),
    ...(failures.length === 0 ? {} : { failures }),
  }
}

/** Presents a signed message to these nodes, and returns their answers in this order. @throws CairnError ABORTED */
export async function presentToNodes(
  client: Client,
  { address, message, signature, nonces }: SignedText,
  nodes: readonly number[],
  { chain, signal }: Pick<SessionOptions, 'chain' | 'signal'>,
): Promise<Answer<NodeSession>[]> {
  const body = { address, messages: [message], signature, chain: chain ?? 'ALL' }
  const answers = await settleNodes(
    nodes,
    async (node, ended) => {
      // The error of the first call says more than the absence of a second one.
      const nonce = nonces[node - 1]
      if (nonce === undefined || 'error' in nonce) throw nonce?.error ?? new CairnError('KEY_NODES_UNAVAILABLE')
      return callKeyNode(client, openSession, node, { params: { node: String(node) }, body }, { signal: ended })
    },
    { lateMs: patienceMs, signal },
  )
  throwIfAborted(signal)
  return answers
}

/** Describes why nodes are not part of a session. */
export function describeFailures(
  answers: readonly Answer<unknown>[],
  nodes: readonly number[],
): NonNullable<KeySession['failures']> {
  return answers.flatMap((answer, i) => ('error' in answer ? [describeFailure(nodes[i] ?? 0, answer.error)] : []))
}

/** Domain of a signature for key nodes only: the host of the router, by which users know the nodes. */
function domainOf({ network }: Client): string {
  const url = network.keyRouter ?? network.keyNodes?.[0]
  if (url === undefined) throw new CairnError('NO_KEY_NODES')
  return new URL(url).host
}

/**
 * @throws CairnError KEY_NODES_UNAVAILABLE, or the code that nodes reject with, if fewer than three answered correctly
 */
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
