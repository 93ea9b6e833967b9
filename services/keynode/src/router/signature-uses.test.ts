import { keyChallengeLifetimeMs, keySaveLifetimeMs, retrieveShard, saveShard } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { createSignatureUses, type SignedUse } from './signature-uses.ts'

const use: SignedUse = {
  signature: `0x${'1'.repeat(130)}`,
  address: `0x${'a'.repeat(40)}`,
  callId: retrieveShard.id,
  cid: 'bafy',
  node: 1,
  body: '{}',
}

test.each([
  [retrieveShard.id, keyChallengeLifetimeMs],
  [saveShard.id, keySaveLifetimeMs],
])('keeps the tokens of a signature for %s no longer than it is valid', async (callId, lifetimeMs) => {
  const clock = { ms: 1_000, now: () => clock.ms }
  const uses = createSignatureUses(clock)
  let exchanges = 0
  const ask = (given: Partial<SignedUse> = {}) =>
    uses.tokenFor({ ...use, callId, ...given }, async () => [`token ${++exchanges}`])
  expect(await ask()).toBe('token 1')
  clock.ms += lifetimeMs
  expect(await ask()).toBe('token 1')
  clock.ms += 1
  await expect(ask({ cid: 'another' })).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' })
  clock.ms += 60_000
  // Any request evicts it. The nodes decide about a signature that is unknown here.
  expect(await ask({ address: `0x${'b'.repeat(40)}` })).toBe('token 2')
  expect(await ask()).toBe('token 3')
})
