import { addFiles, CairnError, importCar } from '@cairn/protocol'
import { createRateLimiter } from '@cairn/service'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { startTestStorage } from '../start-test-storage.fixture.ts'
import { authenticateOnce } from './one-time.ts'

test('checks signatures for an upload at a limited rate per IP address, valid or not', async () => {
  await using storage = await startTestStorage()
  let now = 1_000_000
  const context = { ...storage.context, rates: createRateLimiter(1, { now: () => now }) }
  const wallet = privateKeyToAccount(generatePrivateKey())
  const authenticate = (signature: string, ip: string) =>
    authenticateOnce(context, `${wallet.address}$${signature}`, addFiles, ip)
  const message = await storage.getMessage(wallet.address, { purpose: 'upload' })
  const signature = await wallet.signMessage({ message })
  const wrong = await wallet.signMessage({ message: 'another text' })
  for (let tries = 0; tries < 60; tries++) {
    await expect(authenticate(wrong, '2001:db8:1:2::1')).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' })
  }
  await expect(authenticate(signature, '2001:db8:1:2::2')).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    retryAfterSeconds: 1,
    details: { perMinute: 60 },
  })
  // Other addresses are not limited by it, and the refusal spent nothing.
  await expect(authenticate(wrong, '192.0.2.2')).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' })
  now += 1000
  expect(await authenticate(signature, '2001:db8:1:2::2')).toMatchObject({ address: wallet.address.toLowerCase() })
})

test.each([addFiles, importCar])('the errors of a signature for $id are those that it declares', async (call) => {
  await using storage = await startTestStorage()
  const wallet = privateKeyToAccount(generatePrivateKey())
  const codeOf = (signature: string) =>
    authenticateOnce(storage.context, `${wallet.address}$${signature}`, call, '192.0.2.1').then(
      () => 'none',
      (error: unknown) => CairnError.from(error).code,
    )
  const message = await storage.getMessage(wallet.address, { purpose: 'upload' })
  const signature = await wallet.signMessage({ message })
  const codes = [
    await codeOf(await wallet.signMessage({ message: 'another text' })),
    // Only the signature of a contract wallet is that short.
    await codeOf('0x12'),
  ]
  expect(await codeOf(signature)).toBe('none')
  codes.push(await codeOf(signature))
  expect(codes).toEqual(['INVALID_SIGNATURE', 'CHAIN_NOT_CONFIGURED', 'CHALLENGE_EXPIRED'])
  for (const code of codes) expect(call.errors).toContain(code)
})
