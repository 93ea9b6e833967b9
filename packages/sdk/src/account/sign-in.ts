import { proofHeader, storageParty } from '@cairn/crypto'
import { CairnError, type CallInput, getSignInNonce, makeKeyGrant, signIn as signInCall } from '@cairn/protocol'
import type { Client } from '../client.ts'
import type { KeySession } from '../key-session.ts'
import { loadSessionTools } from '../keys/load-session-tools.ts'
import {
  describeText,
  gatherNonces,
  type NodeNonces,
  noncesOf,
  openAtNodes,
  requireThree,
  type SessionOptions,
  type SignedText,
} from '../keys/open-session.ts'
import { call, describeCall, openResponse, parseAnswer, readText } from '../request.ts'
import type { Signer } from '../signer/resolve-signer.ts'
import { resolveSigner } from '../signer/resolve-signer.ts'
import type { KeyRights } from './api-keys.ts'

export type SignInOptions = SessionOptions &
  KeyRights & {
    /** Name of the API key in lists. */
    name?: string
  }

/** Result of one signature. */
export type SignedIn = {
  apiKey: string
  /** Absent if fewer than three key nodes took part. `openKeySession` then needs a separate signature. */
  keySession?: KeySession
  /** Reason for a missing key session. */
  keyFailure?: CairnError
}

/** Maximum size of a response, in bytes. */
const maxAnswerBytes = 64 * 1024

/**
 * Signs in to storage and key nodes with one signature. Each service issues a nonce, the wallet signs one EIP-4361
 * message that names all of them with the rights and expiry of the API key, and each service verifies its own part.
 * Sign-in to storage succeeds even if key nodes are unavailable.
 * @example
 * const { apiKey, keySession } = await signIn(client, { privateKey }, { name: 'my program' })
 * client = createClient({ network, apiKey, keySession })
 * @throws CairnError INVALID_ADDRESS, INVALID_SIGNATURE, CHALLENGE_EXPIRED, CHAIN_NOT_CONFIGURED, ABORTED
 * @see https://eips.ethereum.org/EIPS/eip-4361
 */
export async function signIn(client: Client, signer: Signer, options: SignInOptions = {}): Promise<SignedIn> {
  const wallet = await resolveSigner(signer)
  const { createSessionKey, writeSignIn } = await loadSessionTools()
  const { signal, sessionKey = createSessionKey() } = options
  const subject = describeText(new URL(client.network.api).host, wallet.address)
  const [own, answers] = await Promise.all([
    call(client, getSignInNonce, { body: subject }, { signal }),
    gatherNonces(client, subject, signal),
  ])
  const { nonces, failure } = usableNonces(answers, own.network)
  const message = writeSignIn({
    ...subject,
    network: own.network,
    storageNonce: own.nonce,
    nonces: noncesOf(nonces),
    sessionKey: sessionKey.publicKey,
    apiKey: makeKeyGrant(options, subject.issuedAt),
  })
  const signature = await wallet.sign(message)
  const signed = { address: subject.address, message, signature, sessionKey, nonces }
  const apiKey = await signInAtStorage(client, signed, own.nonce, options)
  if (failure !== undefined) return { apiKey, keyFailure: failure }
  try {
    return { apiKey, keySession: await openAtNodes(client, signed, options) }
  } catch (error) {
    if (CairnError.is(error, 'ABORTED')) throw error
    return { apiKey, keyFailure: CairnError.from(error) }
  }
}

/**
 * Returns the nonces of nodes of the same network. Returns no nonces, with the reason, if fewer than three nodes could
 * open a session.
 */
function usableNonces(answers: NodeNonces, network: string): { nonces: NodeNonces; failure: CairnError | undefined } {
  const nonces = answers.map((answer, index) =>
    'error' in answer || answer.value.network === network
      ? answer
      : {
          error: new CairnError('WRONG_NODE', {
            message: `The key node belongs to the network ${answer.value.network}`,
            details: { node: index + 1 },
          }),
        },
  )
  try {
    requireThree(nonces)
    return { nonces, failure: undefined }
  } catch (error) {
    const failure = CairnError.from(error)
    return { nonces: nonces.map(() => ({ error: failure })), failure }
  }
}

async function signInAtStorage(
  client: Client,
  { address, message, signature, sessionKey }: Omit<SignedText, 'nonces'>,
  nonce: string,
  { name, signal }: SignInOptions,
): Promise<string> {
  const body: CallInput<typeof signInCall>['body'] = { address, message, signature }
  if (name !== undefined) body.keyName = name
  const send = describeCall(client, signInCall, { body }, { signal })
  const { pathname, search } = new URL(send.url)
  const covered = { method: send.method, path: pathname + search, node: storageParty, token: nonce }
  const { proveRequest } = await loadSessionTools()
  const sent = typeof send.body === 'string' ? send.body : ''
  const proof = await proveRequest({ ...covered, body: sent }, sessionKey, Date.now())
  const response = await openResponse(client, { ...send, headers: { ...send.headers, [proofHeader]: proof } })
  return parseAnswer(signInCall, await readText(response, maxAnswerBytes, signal)).apiKey
}
