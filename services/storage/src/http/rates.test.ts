import { createReadiness } from '@cairn/service'
import { expect, test } from 'vitest'
import { createApp } from '../app.ts'
import { createNameResolver } from '../names/names.ts'
import { startTestStorage } from '../start-test-storage.fixture.ts'

test('an IPv6 line has one rate for all of its addresses', async () => {
  await using storage = await startTestStorage()
  await using app = createApp({
    context: storage.context,
    names: createNameResolver(storage.context, undefined),
    providers: [],
    readiness: createReadiness({}, storage.context.log),
    publicListeners: 2,
    profile: () => storage.profile,
    stop: new AbortController().signal,
  })
  const signIn = async (remoteAddress: string) => {
    const body = { address: `0x${'ab'.repeat(20)}`, message: 'none', signature: '0x00' }
    const { headers } = await app.inject({ method: 'POST', url: '/api/auth/sign_in', payload: body, remoteAddress })
    return headers['x-cairn-code']
  }
  for (let last = 1; last <= 30; last++) expect(await signIn(`2001:db8:0:1::${last}`)).toBe('INVALID_SIGNATURE')
  expect(await signIn('2001:db8:0:1:ffff::31')).toBe('RATE_LIMITED')
  expect(await signIn('2001:db8:0:2::1')).toBe('INVALID_SIGNATURE')
})
