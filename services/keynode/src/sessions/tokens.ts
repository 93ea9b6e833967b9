import type { KeyObject } from 'node:crypto'
import { parseDidKey, writeDidKey } from '@cairn/crypto'
import { CairnError, clockSkewMs } from '@cairn/protocol'
import { decodeJwt, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import * as v from 'valibot'
import type { Peer } from '../config.ts'
import type { Context } from '../context.ts'
import { exportPublicKey, importKeyPair, importPublicKey, type KeyPair } from './ed25519.ts'

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

const claims = v.object({
  sub: v.string(),
  jti: v.string(),
  chg: v.string(),
  exp: v.number(),
  cnf: v.optional(v.object({ key: v.string() })),
  use: v.optional(v.literal('save')),
})

// Cached, because importing a key costs more than a signature, and jose caches by key object.
const ownKeys = new WeakMap<Context['keys'], KeyPair>()
/** By did:key; there are as many as peers in the settings. */
const peerKeys = new Map<string, KeyObject>()

function keyPairOf({ keys }: Pick<Context, 'keys'>): KeyPair {
  const known = ownKeys.get(keys)
  if (known !== undefined) return known
  const pair = importKeyPair(keys.signing)
  ownKeys.set(keys, pair)
  return pair
}

/** Returns the did:key that a node signs with. */
export function publicKeyOf(signing: Uint8Array): string {
  return writeDidKey(exportPublicKey(importKeyPair(signing).publicKey))
}

/** Returns the key that a peer signs with. @throws CairnError INVALID_SIGNATURE */
function keyOf({ publicKey }: Peer): KeyObject {
  const known = peerKeys.get(publicKey)
  if (known !== undefined) return known
  const bytes = parseDidKey(publicKey)
  if (bytes === undefined) throw new CairnError('INVALID_SIGNATURE')
  const key = importPublicKey(bytes)
  peerKeys.set(publicKey, key)
  return key
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
    .sign(keyPairOf(context).privateKey)
}

/**
 * Reads a token of this node. One that names this node and has the signature of another key is of its time before a new
 * secret: the session is lost here, and to sign in again helps.
 * @throws CairnError INVALID_SIGNATURE, SESSION_EXPIRED
 */
export async function readToken(context: Context, token: string): Promise<TokenClaims> {
  const name = nameNode(context.config.networkName, context.config.node)
  try {
    const { payload } = await jwtVerify(token, keyPairOf(context).publicKey, {
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
    const isOver =
      error instanceof errors.JWTExpired ||
      (error instanceof errors.JWSSignatureVerificationFailed && issuerOf(token) === name)
    throw new CairnError(isOver ? 'SESSION_EXPIRED' : 'INVALID_SIGNATURE', { cause: error })
  }
}

/** Returns what a token states as its issuer, unverified; undefined if it is not readable. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

/** Dependencies of signing between nodes. */
type Signing = Pick<Context, 'config' | 'keys' | 'clock'>

/** Maximum difference of two clocks that are both off by the allowed skew. */
const peerSkewMs = 2 * clockSkewMs
/** Maximum lifetime of a token between nodes, in seconds. */
const peerTokenSeconds = 60

/**
 * Signs a token for a query to a peer about one file: repeated by another, it returns what the peer has answered
 * before.
 */
export function signPeerToken(
  context: Signing,
  node: number,
  { id, cid }: { id: string; cid: string },
): Promise<string> {
  const { networkName, node: own } = context.config
  const now = Math.floor(context.clock.now() / 1000)
  return new SignJWT({})
    .setProtectedHeader({ alg: algorithm, typ: 'peer+jwt' })
    .setIssuer(nameNode(networkName, own))
    .setAudience(nameNode(networkName, node))
    .setSubject(cid)
    .setJti(id)
    .setIssuedAt(now)
    .setExpirationTime(now + peerTokenSeconds)
    .sign(keyPairOf(context).privateKey)
}

/** A valid token of a peer: `cid` is the file that it is about, absent in tokens of older nodes. */
export type PeerToken = { peer: number; id: string; cid: string | undefined; expiresAt: number }

/** Reads the token that a peer signed for this node. @throws CairnError INVALID_SIGNATURE */
export async function readPeerToken(context: Context, token: string): Promise<PeerToken> {
  const { networkName, node, peers } = context.config
  try {
    const { iss } = decodeJwt(token)
    const peer = peers.find((one) => nameNode(networkName, one.node) === iss)
    if (peer === undefined) throw new CairnError('INVALID_SIGNATURE')
    const { payload } = await jwtVerify<JWTPayload & { jti: string; exp: number }>(token, keyOf(peer), {
      issuer: nameNode(networkName, peer.node),
      audience: nameNode(networkName, node),
      algorithms: [algorithm],
      typ: 'peer+jwt',
      currentDate: new Date(context.clock.now()),
      clockTolerance: peerSkewMs / 1000,
      maxTokenAge: peerTokenSeconds + peerSkewMs / 1000,
      requiredClaims: ['jti', 'exp', 'iat'],
    })
    const { jti, exp, sub } = payload
    return { peer: peer.node, id: jti, cid: sub, expiresAt: exp * 1000 + peerSkewMs }
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new CairnError('INVALID_SIGNATURE', { cause: error })
    throw error
  }
}

/** Signs a statement that peers can verify and pass on. */
export function signStatement(context: Context, statement: Record<string, unknown>): Promise<string> {
  const { networkName, node } = context.config
  return new SignJWT(statement)
    .setProtectedHeader({ alg: algorithm, typ: 'statement+jwt' })
    .setIssuer(nameNode(networkName, node))
    .setIssuedAt(Math.floor(context.clock.now() / 1000))
    .sign(keyPairOf(context).privateKey)
}

/**
 * Verifies a peer's statement, at most two minutes old by the peer's clock: four minutes by that of this node, because the two
 * clocks may differ by two minutes.
 * @throws CairnError INVALID_SIGNATURE
 */
export async function readStatement(context: Signing, node: number, statement: string): Promise<unknown> {
  const peer = context.config.peers.find((one) => one.node === node)
  if (peer === undefined) throw new CairnError('INVALID_SIGNATURE')
  try {
    const { payload } = await jwtVerify(statement, keyOf(peer), {
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
