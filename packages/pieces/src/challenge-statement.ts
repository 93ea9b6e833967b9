import { CairnError, type ChallengeAnswer, type LeafWindows, proofReason } from '@cairn/protocol'
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base58btc } from 'multiformats/bases/base58'
import { toWindows } from './content.ts'
import { refuse } from './inclusion.ts'
import { parsePieceCid } from './piece-cid.ts'
import { challengeLeaves, type PossessionProof, verifyPossession } from './possession.ts'

/** Claim of a provider in its answer to a challenge. */
export type ChallengeClaim = Pick<ChallengeAnswer, 'piece' | 'nonce' | 'count' | 'provenAt'> & {
  readonly within?: LeafWindows | undefined
  readonly proof: PossessionProof
}

/** Multicodec of an Ed25519 public key, as a varint. */
const ed25519Code = [0xed, 0x01]

/** Returns the id of the provider with this Ed25519 seed of 32 bytes: its public key as multibase, z6Mk…. */
export function providerId(seed: Uint8Array): string {
  return base58btc.encode(Uint8Array.of(...ed25519Code, ...ed25519.getPublicKey(seed)))
}

/**
 * Returns the text that a provider signs: one line per field, the proof by its hash. The text contains the id of the
 * signer, so that a signature is not valid under another id.
 */
export function challengeStatement(claim: ChallengeClaim, provider: string): string {
  const { piece, nonce, count, within, provenAt, proof } = claim
  const shown = proof.map(({ index, leaf, path }) => [index, leaf, ...path].join(' ')).join('\n')
  return [
    'cairn/possession/1',
    `provider ${provider}`,
    `piece ${piece}`,
    `nonce ${nonce}`,
    `leaves ${count}`,
    ...(within === undefined ? [] : [`within ${describeWindows(within)}`]),
    `proven-at ${provenAt}`,
    `proof ${bytesToHex(sha256(utf8ToBytes(shown)))}`,
  ].join('\n')
}

/** Signs an answer to a challenge with the seed of a provider. */
export function signChallenge(claim: ChallengeClaim, seed: Uint8Array): ChallengeAnswer {
  const provider = providerId(seed)
  const { piece, nonce, count, within, provenAt, proof } = claim
  return {
    piece,
    nonce,
    count,
    ...(within === undefined ? {} : { within: [...toWindows(within)] }),
    provenAt,
    proof: proof.map(({ index, leaf, path }) => ({ index, leaf, path: [...path] })),
    provider,
    signature: bytesToHex(ed25519.sign(utf8ToBytes(challengeStatement(claim, provider)), seed)),
  }
}

/**
 * Verifies a whole answer: that it matches the challenge, that this provider signed it, and that its leaves lead to the
 * piece. Its time is only the claim of the provider.
 * @throws CairnError PROOF_INVALID, INVALID_PIECE_CID for an invalid piece in the challenge
 */
export function verifyChallenge(
  answer: ChallengeAnswer,
  asked: {
    readonly piece: string
    readonly nonce: string
    readonly count: number
    readonly provider: string
    readonly within?: LeafWindows | undefined
  },
): void {
  for (const field of ['piece', 'nonce', 'count', 'provider'] as const) {
    if (answer[field] !== asked[field]) throw refuse(proofReason('RESPONSE_DIFFERS', { field }))
  }
  if (describeWindows(answer.within) !== describeWindows(asked.within)) {
    throw refuse(proofReason('RESPONSE_COVERS_OTHER_PART'))
  }
  const piece = parsePieceCid(asked.piece)
  if (!isSigned(answer)) throw refuse(proofReason('SIGNATURE_OF_ANOTHER'))
  const indices = challengeLeaves(piece, readNonce(asked.nonce), asked.count, asked.within)
  verifyPossession(piece, indices, answer.proof)
}

/** Formats windows for a statement: start and count of each, separated by spaces. */
function describeWindows(windows: LeafWindows | undefined): string {
  return toWindows(windows ?? [])
    .flatMap(({ start, count }) => [start, count])
    .join(' ')
}

function readNonce(nonce: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/.test(nonce))
    throw new CairnError('INVALID_REQUEST', { message: 'The nonce must be 32 bytes in hex' })
  return hexToBytes(nonce)
}

function isSigned(answer: ChallengeAnswer): boolean {
  const key = readProviderId(answer.provider)
  if (key === undefined) return false
  try {
    const text = utf8ToBytes(challengeStatement(answer, answer.provider))
    return ed25519.verify(hexToBytes(answer.signature), text, key, { zip215: false })
  } catch {
    // A signature or key that is not a point of the curve is invalid.
    return false
  }
}

/** Returns the public key of an id; undefined for an invalid id. */
function readProviderId(id: string): Uint8Array | undefined {
  if (id.length > 100) return undefined
  try {
    const bytes = base58btc.decode(id)
    return bytes.length === 34 && ed25519Code.every((byte, at) => bytes[at] === byte) ? bytes.subarray(2) : undefined
  } catch {
    // Not base58, so not a key.
    return undefined
  }
}
