import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { parseDidKey, writeDidKey } from '@cairn/crypto'
import { CairnError, clockSkewMs } from '@cairn/protocol'
import { errors, jwtVerify, SignJWT } from 'jose'
import * as v from 'valibot'
import type { Context } from '../context.ts'

/** Claims of a token. */
export type TokenClaims = {
  /** Normalised address. */
  address: string
  sessionId: string
  challengeId: string
  /** did:key that must sign requests. */
  sessionKey: string | undefined
  /** The only purpose that it is valid for. */
  purpose: 'save' | undefined
  /** Milliseconds since 1970. */
  expiresAt: number
}

const algorithm = 'EdDSA'
/** Prefixes of RFC 8410 that turn 32 bytes into a key that Node can import. */
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex')
const publicKeyHead = Buffer.from('302a300506032b6570032100', 'hex')

const claims = v.object({
  sub: v.string(),
  jti: v.string(),
  chg: v.string(),
  exp: v.number(),
  cnf: v.optional(v.object({ key: v.string() })),
  use: v.optional(v.literal('save')),
})

const privateKeys = new WeakMap<Context['keys'], KeyObject>()

function signingKey({ keys }: Pick<Context, 'keys'>): KeyObject {
  const key =
    privateKeys.get(keys) ??
    createPrivateKey({ key: Buffer.concat([privateKeyHead, keys.signing]), format: 'der', type: 'pkcs8' })
  privateKeys.set(keys, key)
  return key
}

/** Returns the did:key that a node signs with. */
export function publicKeyOf(signing: Uint8Array): string {
  const key = createPublicKey(
    createPrivateKey({ key: Buffer.concat([privateKeyHead, signing]), format: 'der', type: 'pkcs8' }),
  )
  const der = key.export({ format: 'der', type: 'spki' })
  return writeDidKey(new Uint8Array(der.subarray(publicKeyHead.length)))
}

/** Returns the key of a did:key. @throws CairnError INVALID_SIGNATURE */
function keyOfDid(didKey: string): KeyObject {
  const bytes = parseDidKey(didKey)
  if (bytes === undefined) throw new CairnError('INVALID_SIGNATURE')
  return createPublicKey({ key: Buffer.concat([publicKeyHead, bytes]), format: 'der', type: 'spki' })
}

/** Identifies a node in tokens: no other node or network accepts its tokens. */
function nameNode(network: string, node: number): string {
  return `cairn-key-node:${network}:${node}`
}

/** Signs a session's token, valid at this node only. */
export function signToken(context: Context, claimed: TokenClaims): Promise<string> {
  const { address, sessionId, challengeId, sessionKey, purpose, expiresAt } = claimed
  const name = nameNode(context.config.networkName, context.config.node)
  return new SignJWT({
    chg: challengeId,
    ...(sessionKey === undefined ? {} : { cnf: { key: sessionKey } }),
    ...(purpose === undefined ? {} : { use: purpose }),
  })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .setIssuer(name)
    .setAudience(name)
    .setSubject(address)
    .setJti(sessionId)
    .setIssuedAt(Math.floor(context.clock.now() / 1000))
    .setExpirationTime(Math.floor(expiresAt / 1000))
    .sign(signingKey(context))
}

/** Reads a token of this node. @throws CairnError INVALID_SIGNATURE, SESSION_EXPIRED */
export async function readToken(context: Context, token: string): Promise<TokenClaims> {
  const name = nameNode(context.config.networkName, context.config.node)
  try {
    const { payload } = await jwtVerify(token, createPublicKey(signingKey(context)), {
      issuer: name,
      audience: name,
      algorithms: [algorithm],
      typ: 'JWT',
      currentDate: new Date(context.clock.now()),
    })
    const { sub, jti, chg, exp, cnf, use } = v.parse(claims, payload)
    const sessionKey = cnf?.key
    return { address: sub, sessionId: jti, challengeId: chg, sessionKey, purpose: use, expiresAt: exp * 1000 }
  } catch (error) {
    throw new CairnError(error instanceof errors.JWTExpired ? 'SESSION_EXPIRED' : 'INVALID_SIGNATURE', { cause: error })
  }
}

/** Dependencies of signing between nodes. */
type Signing = Pick<Context, 'config' | 'keys' | 'clock'>

/** Maximum difference of two clocks that are both off by the allowed skew. */
const peerSkewMs = 2 * clockSkewMs
/** Maximum lifetime of a token between nodes, in seconds. */
const peerTokenSeconds = 60

/** Signs a token for a query to a peer. */
export function signPeerToken(context: Signing, node: number, id: string): Promise<string> {
  const { networkName, node: own } = context.config
  const now = Math.floor(context.clock.now() / 1000)
  return new SignJWT({})
    .setProtectedHeader({ alg: algorithm, typ: 'peer+jwt' })
    .setIssuer(nameNode(networkName, own))
    .setAudience(nameNode(networkName, node))
    .setJti(id)
    .setIssuedAt(now)
    .setExpirationTime(now + peerTokenSeconds)
    .sign(signingKey(context))
}

/** Returns the peer that signed a token for this node, and the token's id. @throws CairnError INVALID_SIGNATURE */
export async function readPeerToken(
  context: Context,
  token: string,
): Promise<{ peer: number; id: string; expiresAt: number }> {
  const { networkName, node, peers } = context.config
  for (const peer of peers) {
    try {
      const { payload } = await jwtVerify(token, keyOfDid(peer.publicKey), {
        issuer: nameNode(networkName, peer.node),
        audience: nameNode(networkName, node),
        algorithms: [algorithm],
        typ: 'peer+jwt',
        currentDate: new Date(context.clock.now()),
        clockTolerance: peerSkewMs / 1000,
        maxTokenAge: peerTokenSeconds + peerSkewMs / 1000,
        requiredClaims: ['jti', 'exp', 'iat'],
      })
      if (payload.jti !== undefined && payload.exp !== undefined)
        return { peer: peer.node, id: payload.jti, expiresAt: payload.exp * 1000 + peerSkewMs }
    } catch (error) {
      // It may be another peer's token; an error that is not about the token is rethrown.
      if (!(error instanceof errors.JOSEError)) throw error
    }
  }
  throw new CairnError('INVALID_SIGNATURE')
}

/** Signs a statement that peers can verify and pass on. */
export function signStatement(context: Context, statement: Record<string, unknown>): Promise<string> {
  const { networkName, node } = context.config
  return new SignJWT(statement)
    .setProtectedHeader({ alg: algorithm, typ: 'statement+jwt' })
    .setIssuer(nameNode(networkName, node))
    .setIssuedAt(Math.floor(context.clock.now() / 1000))
    .sign(signingKey(context))
}

/** Verifies a peer's statement, at most two minutes old. @throws CairnError INVALID_SIGNATURE */
export async function readStatement(context: Signing, node: number, statement: string): Promise<unknown> {
  const peer = context.config.peers.find((one) => one.node === node)
  if (peer === undefined) throw new CairnError('INVALID_SIGNATURE')
  try {
    const { payload } = await jwtVerify(statement, keyOfDid(peer.publicKey), {
      issuer: nameNode(context.config.networkName, node),
      algorithms: [algorithm],
      typ: 'statement+jwt',
      currentDate: new Date(context.clock.now()),
      clockTolerance: peerSkewMs / 1000,
      maxTokenAge: peerSkewMs / 1000,
    })
    return payload
  } catch (error) {
    throw new CairnError('INVALID_SIGNATURE', { cause: error })
  }
}
