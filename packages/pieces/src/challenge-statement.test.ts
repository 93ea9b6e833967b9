import { type ChallengeAnswer, possessionLeavesMost } from '@cairn/protocol'
import { expect, test } from 'vitest'
import {
  challengeLeaves,
  challengeLeavesMost,
  encodePieceCid,
  hashPiece,
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
  return { answer, asked: { piece, nonce, count, provider: providerId(seed) } }
}

const invalid = expect.objectContaining({ code: 'PROOF_INVALID' })

test('an answer is good for the question asked, through JSON and back', async () => {
  const { answer, asked } = await answerChallenge()
  expect(asked.provider).toMatch(/^z6Mk/)
  verifyChallenge(JSON.parse(JSON.stringify(answer)), asked)
})

test('whatever is changed in an answer is noticed', async () => {
  const { answer, asked } = await answerChallenge()
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
  for (const lie of lies) expect(() => verifyChallenge(lie, asked)).toThrow(invalid)
})

test('an answer to another question, or of another provider, is refused', async () => {
  const { answer, asked } = await answerChallenge()
  expect(() => verifyChallenge(answer, { ...asked, nonce: '00'.repeat(32) })).toThrow(invalid)
  expect(() => verifyChallenge(answer, { ...asked, count: 6 })).toThrow(invalid)
  expect(() => verifyChallenge(answer, { ...asked, provider: providerId(new Uint8Array(32)) })).toThrow(invalid)
})

test('a signature over wrong leaves does not make them right', async () => {
  const { answer, asked } = await answerChallenge()
  const proof = answer.proof.map((one) => ({ ...one, leaf: '00'.repeat(32) }))
  expect(() => verifyChallenge(signChallenge({ ...answer, proof }, seed), asked)).toThrow(invalid)
})

test('calls and proofs have the same limit of leaves', () => {
  expect(challengeLeavesMost).toBe(possessionLeavesMost)
})

test('a challenge may be about a part of the piece, and its answer is good for no other', async () => {
  const tree = await hashPiece([payload])
  const within = { start: 400, count: 8 }
  const indices = challengeLeaves(tree.piece, new Uint8Array(32).fill(0x5c), 20, within)
  expect(indices.every((index) => index >= 400 && index < 408)).toBe(true)
  const proof = await provePossession(tree, read, indices)
  const piece = encodePieceCid(tree.piece)
  const answer = signChallenge({ piece, nonce, count: 20, within, provenAt: 1_800_000_000_000, proof }, seed)
  const asked = { piece, nonce, count: 20, provider: providerId(seed) }
  verifyChallenge(JSON.parse(JSON.stringify(answer)), { ...asked, within })
  for (const other of [undefined, { start: 401, count: 8 }, { start: 400, count: 9 }]) {
    expect(() => verifyChallenge(answer, { ...asked, within: other })).toThrow(invalid)
    const changed: ChallengeAnswer = { ...answer, within: other }
    expect(() => verifyChallenge(changed, { ...asked, within: other })).toThrow(invalid)
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
