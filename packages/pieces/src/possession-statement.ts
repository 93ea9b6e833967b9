import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base58btc } from 'multiformats/bases/base58'
import { isSame, refuse } from './inclusion.ts'
import { parsePieceCid } from './piece-cid.ts'
import { challengeLeaves, challengeLeavesMost, type PossessionProof, verifyPossession } from './possession.ts'

/** Multicodec of an Ed25519 public key, as a varint. */
const keyPrefix = Uint8Array.of(0xed, 0x01)

/** A provider's word that it held a piece at a moment, with the proof, signed. All that a stranger needs to check it. */
export type PossessionStatement = {
  /** Ed25519 public key of the provider, in multibase (`z6Mk…`), as in `did:key`. */
  readonly provider: string
  /** Piece CID of version 2. */
  readonly piece: string
  /** 32 bytes in hex. */
  readonly nonce: string
  /** By the provider's clock, ms since 1970. */
  readonly provenAt: number
  readonly proof: PossessionProof
  /** Ed25519 signature in hex. */
  readonly signature: string
}

/** The name of a provider: its public key in multibase. */
export function encodeProviderKey(publicKey: Uint8Array): string {
  const bytes = new Uint8Array(keyPrefix.length + publicKey.length)
  bytes.set(keyPrefix)
  bytes.set(publicKey, keyPrefix.length)
  return base58btc.encode(bytes)
}

/** The public key again. @throws CairnError PROOF_INVALID */
export function parseProviderKey(text: string): Uint8Array {
  if (!/^z[1-9A-HJ-NP-Za-km-z]{40,60}$/.test(text)) throw refuse('The provider is not named by an Ed25519 key')
  const bytes = base58btc.decode(text)
  if (bytes.length !== 34 || !isSame(bytes.subarray(0, 2), keyPrefix)) {
    throw refuse('The provider is not named by an Ed25519 key')
  }
  return bytes.slice(2)
}

/** Signs a proof. `secretKey` is the 32-byte seed of an Ed25519 key. */
export function signStatement(
  statement: Omit<PossessionStatement, 'provider' | 'signature'>,
  secretKey: Uint8Array,
): PossessionStatement {
  const provider = encodeProviderKey(ed25519.getPublicKey(secretKey))
  const text = encodeStatement({ ...statement, provider })
  return { ...statement, provider, signature: bytesToHex(ed25519.sign(text, secretKey)) }
}

/**
 * Checks that the statement answers this challenge, that its proof holds and that the provider it names signed it.
 * @throws CairnError PROOF_INVALID, INVALID_PIECE_CID
 */
export function verifyStatement(
  statement: PossessionStatement,
  challenge: { piece: string; nonce: Uint8Array; count: number },
): void {
  if (statement.piece !== challenge.piece) throw refuse('It is about another piece')
  if (statement.nonce !== bytesToHex(challenge.nonce)) throw refuse('It answers another challenge')
  if (statement.proof.length > challengeLeavesMost) throw refuse('It has too many leaves')
  if (!Number.isFinite(new Date(statement.provenAt).getTime())) throw refuse('Its time is none')
  const piece = parsePieceCid(challenge.piece)
  verifyPossession(piece, challengeLeaves(piece, challenge.nonce, challenge.count), statement.proof)
  if (!/^[0-9a-f]{128}$/.test(statement.signature)) throw refuse('Its signature is not 64 bytes in hex')
  const key = parseProviderKey(statement.provider)
  if (!isSigned(hexToBytes(statement.signature), encodeStatement(statement), key)) {
    throw refuse('It is not signed by the provider it names')
  }
}

function isSigned(signature: Uint8Array, text: Uint8Array, key: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, text, key)
  } catch {
    // A key or signature that is no point of the curve has signed nothing.
    return false
  }
}

/** The text that is signed: one fact a line, the proof by its hash. */
function encodeStatement(statement: Omit<PossessionStatement, 'signature'>): Uint8Array {
  const { provider, piece, nonce, provenAt, proof } = statement
  const leaves = proof.map(({ index, leaf, path }) => [index, leaf, ...path].join(' ')).join('\n')
  const lines = [
    'Cairn proof of possession',
    `Provider: ${provider}`,
    `Piece: ${piece}`,
    `Nonce: ${nonce}`,
    `Proven at: ${new Date(provenAt).toISOString()}`,
    `Proof: ${bytesToHex(sha256(utf8ToBytes(leaves)))}`,
  ]
  return utf8ToBytes(lines.join('\n'))
}
