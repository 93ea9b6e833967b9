import { createReadiness } from '@cairn/service'
import { expect, test } from 'vitest'
import { createApp } from '../app.ts'
import { createNameResolver } from '../names/names.ts'
import { startTestStorage } from '../start-test-storage.fixture.ts'

/** Opens the API, and attempts a rejected sign-in from an address. */
async function openApi(remoteAddress: string) {
  const storage = await startTestStorage()
  const app = createApp({
    context: storage.context,
    names: createNameResolver(storage.context, undefined),
    providers: [],
    readiness: createReadiness({}, storage.context.log),
    publicListeners: 2,
    profile: () => storage.profile,
    stop: new AbortController().signal,
  })
  const body = { address: `0x${'ab'.repeat(20)}`, message: 'none', signature: '0x00' }
  const signIn = async (from = remoteAddress) => {
    const answer = await app.inject({ method: 'POST', url: '/api/auth/sign_in', payload: body, remoteAddress: from })
    const { 'x-cairn-code': code, ratelimit: left, 'ratelimit-policy': policy, 'retry-after': after } = answer.headers
    return { code, left, policy, after }
  }
  const close = async () => {
    await app.close()
    await storage[Symbol.asyncDispose]()
  }
  return { signIn, [Symbol.asyncDispose]: close }
}

test('all addresses of an IPv6 line share one rate', async () => {
  await using api = await openApi('::1')
  for (let last = 1; last <= 30; last++)
    expect(await api.signIn(`2001:db8:0:1::${last}`)).toMatchObject({ code: 'INVALID_SIGNATURE' })
  expect(await api.signIn('2001:db8:0:1:ffff::31')).toMatchObject({ code: 'RATE_LIMITED' })
  expect(await api.signIn('2001:db8:0:2::1')).toMatchObject({ code: 'INVALID_SIGNATURE' })
})

test('every response states the rate of its call and the remainder', async () => {
  await using api = await openApi('192.0.2.1')
  const policy = '"signIn";q=30;w=60'
  expect(await api.signIn()).toMatchObject({ policy, left: '"signIn";r=29;t=2' })
  const left: unknown[] = []
  for (let call = 2; call <= 30; call++) left.push((await api.signIn()).left)
  expect(left.at(-1)).toMatch(/^"signIn";r=0;t=(60|5\d)$/)
  const refused = await api.signIn()
  expect(refused).toMatchObject({ code: 'RATE_LIMITED', policy, left: `"signIn";r=0;t=${refused.after}` })
  expect(await api.signIn('192.0.2.2')).toMatchObject({ left: '"signIn";r=29;t=2' })
})
