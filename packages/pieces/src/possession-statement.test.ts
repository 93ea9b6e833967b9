import { ed25519 } from '@noble/curves/ed25519.js'
import { expect, test } from 'vitest'
import {
  challengeLeaves,
  encodePieceCid,
  encodeProviderKey,
  hashPiece,
  type PossessionStatement,
  parseProviderKey,
  provePossession,
  signStatement,
  verifyStatement,
} from './index.ts'

const key = new Uint8Array(32).fill(7)
const nonce = new Uint8Array(32).fill(9)

async function makeStatement(): Promise<{ piece: string; statement: PossessionStatement }> {
  const payload = Uint8Array.from({ length: 5000 }, (_, at) => (at * 13) & 255)
  const tree = await hashPiece([payload])
  const indices = challengeLeaves(tree.piece, nonce, 3)
  const read = async (offset: number, length: number) => payload.slice(offset, offset + length)
  const proof = await provePossession(tree, read, indices)
  const piece = encodePieceCid(tree.piece)
  const statement = signStatement(
    { piece, nonce: Buffer.from(nonce).toString('hex'), provenAt: 1_700_000_000_000, proof },
    key,
  )
  return { piece, statement }
}

test('a signed proof holds for its challenge', async () => {
  const { piece, statement } = await makeStatement()
  verifyStatement(statement, { piece, nonce, count: 3 })
  expect(parseProviderKey(statement.provider)).toEqual(ed25519.getPublicKey(key))
  expect(statement.provider).toMatch(/^z6Mk/)
})

test('another time, provider, piece, nonce, count or signature does not hold', async () => {
  const { piece, statement } = await makeStatement()
  const other = encodeProviderKey(ed25519.getPublicKey(new Uint8Array(32).fill(8)))
  const otherPiece = encodePieceCid((await hashPiece([new Uint8Array(300).fill(1)])).piece)
  const lies: PossessionStatement[] = [
    { ...statement, provenAt: statement.provenAt + 1 },
    { ...statement, provenAt: Number.NaN },
    { ...statement, provenAt: 1e300 },
    { ...statement, provider: other },
    { ...statement, provider: 'z6Mk' },
    { ...statement, provider: '' },
    { ...statement, piece: otherPiece },
    { ...statement, nonce: '00'.repeat(32) },
    { ...statement, proof: statement.proof.slice(1) },
    { ...statement, signature: `${statement.signature.slice(0, -2)}00` },
    { ...statement, signature: 'f'.repeat(128) },
    { ...statement, signature: '' },
  ]
  for (const lie of lies) {
    expect(() => verifyStatement(lie, { piece, nonce, count: 3 })).toThrow(
      expect.objectContaining({ code: 'PROOF_INVALID' }),
    )
  }
  expect(() => verifyStatement(statement, { piece, nonce, count: 4 })).toThrow()
  expect(() => verifyStatement(statement, { piece, nonce: new Uint8Array(32), count: 3 })).toThrow()
})
