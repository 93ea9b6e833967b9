import { type ChallengeAnswer, maxPossessionLeaves } from '@cairn/protocol'
import { expect, test } from 'vitest'
import {
  challengeLeaves,
  encodePieceCid,
  hashPiece,
  maxChallengeLeaves,
  provePossession,
  providerId,
  signChallenge,
  verifyChallenge,
} from './index.ts'

const payload = Uint8Array.from({ length: 90_000 }, (_, at) => (Math.imul(at + 7, 2_654_435_761) >>> 24) & 255)
const read = async (offset: number, length: number) => payload.slice(offset, offset + length)
const seed = new Uint8Array(32).fill(7)
const nonce = '5c'.repeat(32)

async function answerChallenge(count = 5) {
  const tree = await hashPiece([payload])
  const indices = challengeLeaves(tree.piece, new Uint8Array(32).fill(0x5c), count)
  const proof = await provePossession(tree, read, indices)
  const piece = encodePieceCid(tree.piece)
  const answer = signChallenge({ piece, nonce, count, provenAt: 1_800_000_000_000, proof }, seed)
  return { answer, challenge: { piece, nonce, count, provider: providerId(seed) } }
}

const invalid = expect.objectContaining({ code: 'PROOF_INVALID' })

test('an answer is valid for its own question, through JSON and back', async () => {
  const { answer, challenge } = await answerChallenge()
  expect(challenge.provider).toMatch(/^z6Mk/)
  verifyChallenge(JSON.parse(JSON.stringify(answer)), challenge)
})

test('rejects an answer with any change', async () => {
  const { answer, challenge } = await answerChallenge()
  const other = providerId(new Uint8Array(32).fill(8))
  const lies: ChallengeAnswer[] = [
    { ...answer, provenAt: answer.provenAt + 1 },
    { ...answer, nonce: '5d'.repeat(32) },
    { ...answer, count: 4 },
    { ...answer, provider: other },
    { ...answer, provider: 'z' },
    { ...answer, signature: '00'.repeat(64) },
    { ...answer, signature: 'ff' },
    { ...answer, proof: answer.proof.slice(1) },
    { ...answer, proof: answer.proof.map((one) => ({ ...one, path: one.path.map((node) => node.replace(/./, 'e')) })) },
  ]
  for (const lie of lies) expect(() => verifyChallenge(lie, challenge)).toThrow(invalid)
})

test('rejects an answer to another question, or of another provider', async () => {
  const { answer, challenge } = await answerChallenge()
  expect(() => verifyChallenge(answer, { ...challenge, nonce: '00'.repeat(32) })).toThrow(invalid)
  expect(() => verifyChallenge(answer, { ...challenge, count: 6 })).toThrow(invalid)
  expect(() => verifyChallenge(answer, { ...challenge, provider: providerId(new Uint8Array(32)) })).toThrow(invalid)
})

test('rejects wrong leaves under a valid signature', async () => {
  const { answer, challenge } = await answerChallenge()
  const proof = answer.proof.map((one) => ({ ...one, leaf: '00'.repeat(32) }))
  expect(() => verifyChallenge(signChallenge({ ...answer, proof }, seed), challenge)).toThrow(invalid)
})

test('calls and proofs have the same limit of leaves', () => {
  expect(maxChallengeLeaves).toBe(maxPossessionLeaves)
})

test('an answer to a challenge about a part of the piece is valid for that part only', async () => {
  const tree = await hashPiece([payload])
  const within = { start: 400, count: 8 }
  const indices = challengeLeaves(tree.piece, new Uint8Array(32).fill(0x5c), 20, within)
  expect(indices.every((index) => index >= 400 && index < 408)).toBe(true)
  const proof = await provePossession(tree, read, indices)
  const piece = encodePieceCid(tree.piece)
  const answer = signChallenge({ piece, nonce, count: 20, within, provenAt: 1_800_000_000_000, proof }, seed)
  const challenge = { piece, nonce, count: 20, provider: providerId(seed) }
  verifyChallenge(JSON.parse(JSON.stringify(answer)), { ...challenge, within })
  for (const other of [undefined, { start: 401, count: 8 }, { start: 400, count: 9 }]) {
    expect(() => verifyChallenge(answer, { ...challenge, within: other })).toThrow(invalid)
    const changed: ChallengeAnswer = { ...answer, within: other }
    expect(() => verifyChallenge(changed, { ...challenge, within: other })).toThrow(invalid)
  }
  for (const wrong of [
    { start: -1, count: 2 },
    { start: 0, count: 0 },
    { start: 2830, count: 20 },
    { start: 2 ** 53, count: 2 },
  ]) {
    expect(() => challengeLeaves(tree.piece, new Uint8Array(32), 1, wrong)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    )
  }
})
