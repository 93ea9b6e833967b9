import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base58, base64urlnopad } from '@scure/base'

/** A key that signs the requests of one session, as plain data. */
export type PlainSessionKey = {
  /** did:key, as in the message that the wallet signs. */
  publicKey: string
  /** Seed of 32 bytes in hex. */
  secretKey: string
}

/** A session key with its secret inside the platform: code that reads all data of a page cannot read the secret. */
export type HeldSessionKey = { publicKey: string; privateKey: CryptoKey }

export type SessionKey = PlainSessionKey | HeldSessionKey

/** Header with the proof of a session key. */
export const proofHeader = 'x-cairn-proof'

/** Number of the storage service, next to the numbers of the nodes. */
export const storageParty = 0

/** Fields that a proof covers. */
export type SignedRequest = {
  method: string
  /** Path with its query, as sent. */
  path: string
  /** Number of the target node, 1 to 5; {@link storageParty} for the storage service. */
  node: number
  /** The body as sent; empty if there is none. */
  body: string
  token: string
}

/** Multicodec of an Ed25519 public key, as a varint. */
const ed25519Code = [0xed, 0x01]
const prefix = 'did:key:z'
const maxProof = 1024

/** Creates a session key from the random source of the system. */
export function createSessionKey(): PlainSessionKey {
  const seed = randomBytes(32)
  return { publicKey: writeDidKey(ed25519.getPublicKey(seed)), secretKey: bytesToHex(seed) }
}

/**
 * Creates a session key with a secret that never leaves the platform: it can be used, and stored in IndexedDB, but not
 * read.
 * @throws the error of the platform without Ed25519, as in older browsers and pages without TLS
 */
export async function createHeldSessionKey(): Promise<HeldSessionKey> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
  const bytes = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey))
  return { publicKey: writeDidKey(bytes), privateKey }
}

/** Formats an Ed25519 public key as a did:key. @see https://w3c-ccg.github.io/did-key-spec/ */
export function writeDidKey(publicKey: Uint8Array): string {
  return prefix + base58.encode(Uint8Array.of(...ed25519Code, ...publicKey))
}

/** Parses the public key of a did:key; undefined unless it is an Ed25519 key. */
export function parseDidKey(text: string): Uint8Array | undefined {
  if (!text.startsWith(prefix) || text.length > 100) return undefined
  try {
    const bytes = base58.decode(text.slice(prefix.length))
    return bytes.length === 34 && ed25519Code.every((byte, i) => bytes[i] === byte) ? bytes.subarray(2) : undefined
  } catch {
    // Not base58: not a key.
    return undefined
  }
}

/** Returns the header value that proves a request: valid at one node, for one request, at one time. */
export function signRequest(request: SignedRequest, secretKey: string, timeMs: number): string {
  const id = createProofId()
  return writeProof(timeMs, id, ed25519.sign(covered(request, timeMs, id), hexToBytes(secretKey)))
}

/**
 * As {@link signRequest}, with either kind of key.
 * @param sign Ed25519 of the platform, if it is faster
 */
export async function proveRequest(
  request: SignedRequest,
  key: SessionKey,
  timeMs: number,
  sign: (message: Uint8Array, seed: Uint8Array) => Uint8Array = ed25519.sign,
): Promise<string> {
  const id = createProofId()
  if ('secretKey' in key) return writeProof(timeMs, id, sign(covered(request, timeMs, id), hexToBytes(key.secretKey)))
  const signature = await crypto.subtle.sign('Ed25519', key.privateKey, covered(request, timeMs, id))
  return writeProof(timeMs, id, new Uint8Array(signature))
}

function createProofId(): string {
  return bytesToHex(randomBytes(16))
}

function writeProof(timeMs: number, id: string, signature: Uint8Array): string {
  const proof = { t: timeMs, j: id, s: base64urlnopad.encode(signature) }
  return base64urlnopad.encode(utf8ToBytes(JSON.stringify(proof)))
}

/** Whether an Ed25519 signature fits a message and a public key. May throw for bytes that are no point of the curve. */
type VerifyEd25519 = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean

const verifyStrictly: VerifyEd25519 = (signature, message, publicKey) =>
  ed25519.verify(signature, message, publicKey, { zip215: false })

/**
 * Returns the content of a proof if it belongs to the session key and covers this request; undefined otherwise.
 * @param verify Ed25519 of the platform, if it is faster
 */
export function verifyRequest(
  header: string,
  request: SignedRequest,
  sessionKey: string,
  verify: VerifyEd25519 = verifyStrictly,
): { timeMs: number; id: string } | undefined {
  const key = parseDidKey(sessionKey)
  const proof = readProof(header)
  if (key === undefined || proof === undefined) return undefined
  try {
    const isRight = verify(proof.signature, covered(request, proof.timeMs, proof.id), key)
    return isRight ? { timeMs: proof.timeMs, id: proof.id } : undefined
  } catch {
    // A key or signature that is not a point of the curve proves nothing.
    return undefined
  }
}

function readProof(header: string): { timeMs: number; id: string; signature: Uint8Array } | undefined {
  if (header.length > maxProof) return undefined
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(base64urlnopad.decode(header)))
    if (typeof json !== 'object' || json === null || !('t' in json && 'j' in json && 's' in json)) return undefined
    const { t, j, s } = json
    if (!Number.isSafeInteger(t) || typeof t !== 'number' || typeof s !== 'string') return undefined
    if (typeof j !== 'string' || !/^[0-9a-f]{32}$/.test(j)) return undefined
    const signature = base64urlnopad.decode(s)
    return signature.length === 64 ? { timeMs: t, id: j, signature } : undefined
  } catch {
    // Neither base64 nor JSON: not a proof.
    return undefined
  }
}

function covered(
  { method, path, node, body, token }: SignedRequest,
  timeMs: number,
  id: string,
): Uint8Array<ArrayBuffer> {
  const hash = (text: string) => bytesToHex(sha256(utf8ToBytes(text)))
  return new TextEncoder().encode(
    ['cairn/request/1', method.toUpperCase(), path, node, hash(body), timeMs, id, hash(token)].join('\n'),
  )
}
