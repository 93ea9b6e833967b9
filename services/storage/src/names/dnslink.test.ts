import type { CairnError } from '@cairn/protocol'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { decodeTextAnswer, encodeTextQuestion } from './dns-message.ts'
import { type DnsServer, startDnsServer } from './dns-server.fixture.ts'
import { createDnslinkResolver, type DnslinkResolver } from './dnslink.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const client = { address: '192.0.2.1', signal: new AbortController().signal }

let dns: DnsServer
let now = 0
let resolver: DnslinkResolver
beforeEach(async () => {
  dns = await startDnsServer()
  now = 1_000_000
  resolver = createDnslinkResolver([dns.address], () => now)
})
afterEach(async () => {
  vi.useRealTimers()
  await dns[Symbol.asyncDispose]()
})

const resolve = async (host: string, address = client.address) =>
  (await resolver.resolve(host, { ...client, address })).value

test('reads the value of a DNSLink, also from several strings', async () => {
  const long = `/ipfs/${cid}/${'x'.repeat(400)}`
  dns.texts.set('_dnslink.a.example', ['v=spf1 -all', `dnslink=/ipfs/${cid}`])
  dns.texts.set('_dnslink.b.example', [`dnslink=${long}`])
  dns.texts.set('_dnslink.c.example', ['dnslink=/ipns/a.example'])
  expect(await resolve('a.example')).toBe(`/ipfs/${cid}`)
  expect(await resolve('b.example')).toBe(long)
  expect(await resolve('c.example')).toBe('/ipns/a.example')
})

test('asks again for what it learned while the clock was ahead', async () => {
  dns.texts.set('_dnslink.a.example', [`dnslink=/ipfs/${cid}`])
  now += 366 * 86_400_000
  await resolve('a.example')
  await expect(resolve('new.example')).rejects.toMatchObject({ code: 'NAME_UNRESOLVED' })
  now -= 366 * 86_400_000
  for (const host of ['a', 'new']) dns.texts.set(`_dnslink.${host}.example`, ['dnslink=/ipns/b.example'])
  for (const host of ['a', 'new']) expect(await resolve(`${host}.example`)).toBe('/ipns/b.example')
})

test('picks the first of several links in byte order, and skips invalid ones', async () => {
  dns.texts.set('_dnslink.a.example', [
    `dnslink=/ipfs/${cid}/b`,
    `dnslink=/ipfs/${cid}/a`,
    'dnslink=/aaa/x',
    'dnslink=',
  ])
  expect(await resolve('a.example')).toBe(`/ipfs/${cid}/a`)
  dns.texts.set('_dnslink.none.example', ['dnslink=/ipfs/nothing', 'dnslink=http://127.0.0.1/'])
  await expect(resolve('none.example')).rejects.toMatchObject({ code: 'NAME_UNRESOLVED' })
})

test('caches answers for their TTL, missing ones for 15 seconds, and asks once for concurrent requests', async () => {
  dns.texts.set('_dnslink.a.example', [`dnslink=/ipfs/${cid}`])
  await Promise.all([1, 2, 3].map(() => resolve('a.example')))
  now += 59_000
  expect((await resolver.resolve('a.example', client)).maxAgeMs).toBe(1000)
  expect(dns.asked).toEqual(['_dnslink.a.example'])
  dns.texts.set('_dnslink.a.example', ['dnslink=/ipns/b.example'])
  now += 1000
  expect(await resolve('a.example')).toBe('/ipns/b.example')
  await expect(resolve('new.example')).rejects.toMatchObject({ code: 'NAME_UNRESOLVED' })
  dns.texts.set('_dnslink.new.example', [`dnslink=/ipfs/${cid}`])
  await expect(resolve('new.example')).rejects.toMatchObject({ code: 'NAME_UNRESOLVED' })
  now += 15_000
  expect(await resolve('new.example')).toBe(`/ipfs/${cid}`)
})

test('asks again over TCP if an answer does not fit into a datagram', async () => {
  dns.isTruncating = true
  const links = Array.from({ length: 40 }, (_, at) => `dnslink=/ipfs/${cid}/${at}${'x'.repeat(100)}`)
  dns.texts.set('_dnslink.a.example', links)
  expect(await resolve('a.example')).toMatch(/\/0x+$/)
  expect(dns.asked).toHaveLength(2)
})

test('skips an offline server for the next one', async () => {
  dns.texts.set('_dnslink.a.example', [`dnslink=/ipfs/${cid}`])
  const two = createDnslinkResolver(['127.0.0.1:1', dns.address], () => now)
  expect((await two.resolve('a.example', client)).value).toBe(`/ipfs/${cid}`)
})

test('no answer crashes the reader', () => {
  const question = encodeTextQuestion(7, '_dnslink.a.example')
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat({ max: 400 }), (noise, cut) => {
      const message = Buffer.concat([question, noise]).subarray(0, cut)
      if (message.length > 3) message.writeUInt8(0x80, 2)
      if (message.length > 7) message.writeUInt16BE(noise[0] ?? 0, 6)
      const answer = decodeTextAnswer(message, 7, '_dnslink.a.example')
      if (answer?.kind === 'texts') expect(answer.texts.length).toBeGreaterThan(0)
    }),
    { numRuns: 2000 },
  )
})

test('distinguishes a failing server from a missing name, and does not cache the failure', async () => {
  dns.texts.set('_dnslink.a.example', [`dnslink=/ipfs/${cid}`])
  dns.isBroken = true
  await expect(resolve('a.example')).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
  dns.isBroken = false
  expect(await resolve('a.example')).toBe(`/ipfs/${cid}`)
})

test('one address fills only its own lookups, and a known link is served when none is left', async () => {
  dns.texts.set('_dnslink.a.example', [`dnslink=/ipfs/${cid}`])
  dns.texts.set('_dnslink.b.example', [`dnslink=/ipfs/${cid}/b`])
  await resolve('a.example')
  now += 60_000
  // No query times out before its answer is released.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const release = dns.hold()
  const start = (at: number, address: string) =>
    resolve(`${at}.missing.example`, address).catch((error: CairnError) => error.code)
  const first = Array.from({ length: 10 }, (_, at) => start(at, '192.0.2.1'))
  await expect(first[8]).resolves.toBe('OVERLOADED')
  // The link expired, and cannot be looked up from this address.
  expect(await resolver.resolve('a.example', client)).toEqual({ value: `/ipfs/${cid}`, maxAgeMs: 0 })
  const other = resolve('b.example', '192.0.2.2')
  const rest = Array.from({ length: 70 }, (_, at) => start(100 + at, `198.51.100.${at}`))
  await expect(rest.at(-1)).resolves.toBe('OVERLOADED')
  expect(await resolve('a.example', '192.0.2.3')).toBe(`/ipfs/${cid}`)
  now += 3_600_000
  await expect(resolve('a.example', '192.0.2.3')).rejects.toMatchObject({ code: 'OVERLOADED' })
  release()
  expect(await other).toBe(`/ipfs/${cid}/b`)
  const codes = await Promise.all([...first, ...rest])
  expect(codes.filter((code) => code === 'NAME_UNRESOLVED')).toHaveLength(8 + 55)
  expect(await resolve('a.example')).toBe(`/ipfs/${cid}`)
})

test('hosts without a DNSLink evict no links', async () => {
  dns.texts.set('_dnslink.a.example', [`dnslink=/ipfs/${cid}`])
  await resolve('a.example')
  for (let at = 0; at < 1001; at++) {
    await expect(resolve(`${at}.missing.example`)).rejects.toMatchObject({ code: 'NAME_UNRESOLVED' })
  }
  const asked = dns.asked.length
  expect(await resolve('a.example')).toBe(`/ipfs/${cid}`)
  expect(dns.asked).toHaveLength(asked)
})

test('a proxy has no limit of its own', async () => {
  const behind = createDnslinkResolver([dns.address], () => now, { isExempt: (address) => address === '192.0.2.1' })
  const release = dns.hold()
  const all = Array.from({ length: 20 }, (_, at) => behind.resolve(`${at}.example`, client).catch(String))
  release()
  expect((await Promise.all(all)).filter((error) => !/has no DNSLink/.test(String(error)))).toEqual([])
})

test('does not serve a removed link', async () => {
  dns.texts.set('_dnslink.a.example', [`dnslink=/ipfs/${cid}`])
  await resolve('a.example')
  now += 60_000
  dns.texts.delete('_dnslink.a.example')
  await expect(resolve('a.example')).rejects.toMatchObject({ code: 'NAME_UNRESOLVED' })
  now += 15_000
  dns.isBroken = true
  await expect(resolve('a.example')).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' })
})
