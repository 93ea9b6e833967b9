import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { parseDidKey, writeDidKey } from '@cairn/crypto'
import { CairnError, clockSkewMs } from '@cairn/protocol'
import { errors, jwtVerify, SignJWT } from 'jose'
import * as v from 'valibot'
import type { Context } from '../context.ts'

/** What a token says. */
export type TokenClaims = {
  /** Normalised address. */
  address: string
  sessionId: string
  challengeId: string
  /** did:key that requests must be signed with. */
  sessionKey: string | undefined
  /** What alone it is good for. */
  purpose: 'save' | undefined
  /** Milliseconds since 1970. */
  expiresAt: number
}

const algorithm = 'EdDSA'
/** Prefixes of RFC 8410: what turns 32 bytes into a key that Node reads. */
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

/** The did:key that a node signs with. */
export function publicKeyOf(signing: Uint8Array): string {
  const key = createPublicKey(
    createPrivateKey({ key: Buffer.concat([privateKeyHead, signing]), format: 'der', type: 'pkcs8' }),
  )
  const der = key.export({ format: 'der', type: 'spki' })
  return writeDidKey(new Uint8Array(der.subarray(publicKeyHead.length)))
}

/** The key of a did:key. @throws CairnError INVALID_SIGNATURE */
function keyOfDid(didKey: string): KeyObject {
  const bytes = parseDidKey(didKey)
  if (bytes === undefined) throw new CairnError('INVALID_SIGNATURE')
  return createPublicKey({ key: Buffer.concat([publicKeyHead, bytes]), format: 'der', type: 'spki' })
}

/** Who a node is in tokens: no other node or network takes its tokens. */
function nameNode(network: string, node: number): string {
  return `cairn-key-node:${network}:${node}`
}

/** Signs a session's token, good at this node alone. */
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

/** What signing between nodes needs. */
type Signing = Pick<Context, 'config' | 'keys' | 'clock'>

/** Two clocks that are both as far off as is allowed, each to its side. */
const peerSkewMs = 2 * clockSkewMs
/** Longest life of a token between nodes, in seconds. */
const peerTokenSeconds = 60

/** Signs a token by which this node asks a peer. */
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

/** Which peer signed a token for this node, and the token's id. @throws CairnError INVALID_SIGNATURE */
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
      // Another peer's, perhaps; an error that is not about the token is none to pass over.
      if (!(error instanceof errors.JOSEError)) throw error
    }
  }
  throw new CairnError('INVALID_SIGNATURE')
}

/** Signs a statement that peers can check and show. */
export function signStatement(context: Context, statement: Record<string, unknown>): Promise<string> {
  const { networkName, node } = context.config
  return new SignJWT(statement)
    .setProtectedHeader({ alg: algorithm, typ: 'statement+jwt' })
    .setIssuer(nameNode(networkName, node))
    .setIssuedAt(Math.floor(context.clock.now() / 1000))
    .sign(signingKey(context))
}

/** Reads a peer's statement, not older than two minutes. @throws CairnError INVALID_SIGNATURE */
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
