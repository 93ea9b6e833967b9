import { createNameKey, createRecord, type NameKey, readRecord } from '@cairn/names'
import { CairnError } from '@cairn/protocol'
import { CarBlockIterator } from '@ipld/car'
import { base16 } from 'multiformats/bases/base16'
import { base32 } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRuleSet } from '../moderation/match-rules.ts'
import { createDenylist, parseDenylist } from '../moderation/moderation.ts'
import { type DnsServer, startDnsServer } from '../names/dns-server.fixture.ts'
import { createDnslinkResolver } from '../names/dnslink.ts'
import { type NamesPlace, startDatabases } from '../names/names.fixture.ts'
import { acceptRecord, createNameResolver, type NameResolver, type NamesContext } from '../names/names.ts'
import { createTestGateway, type TestGateway } from './test-gateway.fixture.ts'

let databases: Awaited<ReturnType<typeof startDatabases>>
let place: NamesPlace
let context: NamesContext
let dns: DnsServer
let gateway: TestGateway
let key: NameKey
let sequence = 0n

beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases?.stop())
beforeEach(async () => {
  place = await databases.open('sqlite')
  context = await place.replica()
  dns = await startDnsServer()
  const { now } = place.clock
  const names = createNameResolver(context, createDnslinkResolver([dns.address], now))
  gateway = createTestGateway({ names, now, proxies: ['127.0.0.1'] })
  key = await createNameKey()
})
afterEach(async () => {
  await gateway.app.close()
  await dns[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

async function publish(
  value: string,
  { by = key, lifetimeMs = 3_600_000, ttlMs = 60_000 }: { by?: NameKey; lifetimeMs?: number; ttlMs?: number } = {},
): Promise<Uint8Array> {
  const record = await createRecord(by, { value, sequence: ++sequence, lifetimeMs, ttlMs, now: place.clock.ms })
  await acceptRecord(context, by.name, record)
  return record
}

const get = (url: string, headers: Record<string, string> = {}) => gateway.app.inject({ url, headers })
const codeOf = async (url: string, headers: Record<string, string> = {}) => {
  const { statusCode, headers: sent } = await get(url, headers)
  return `${statusCode} ${sent['x-cairn-code']}`
}

test('a name shows its target, and a new target at once after a publication', async () => {
  const first = await gateway.addFolder({ 'docs/a.txt': 'one' })
  const second = await gateway.addFolder({ 'docs/a.txt': 'two' })
  await publish(`/ipfs/${first}`)
  const answer = await get(`/ipns/${key.name}/docs/a.txt`)
  expect(answer.body).toBe('one')
  expect(answer.headers).toMatchObject({
    'cache-control': 'public, max-age=60',
    'x-ipfs-path': `/ipns/${key.name}/docs/a.txt`,
    'ipfs-uri': `ipns://${key.name}/docs/a.txt`,
    'content-type': 'text/plain; charset=utf-8',
  })
  expect(String(answer.headers['x-ipfs-roots']).split(',')[0]).toBe(first.toString())
  expect(String(answer.headers['x-ipfs-roots']).split(',')).toHaveLength(3)
  await publish(`/ipfs/${second}`)
  expect((await get(`/ipns/${key.name}/docs/a.txt`)).body).toBe('two')
  const etag = String((await get(`/ipns/${key.name}/docs/a.txt`)).headers['etag'])
  expect((await get(`/ipns/${key.name}/docs/a.txt`, { 'if-none-match': etag })).statusCode).toBe(304)
  expect((await get(`/ipns/${key.name}/docs/a.txt`, { range: 'bytes=1-' })).body).toBe('wo')
  expect((await get(`/ipns/${key.name}/nothing`)).statusCode).toBe(404)
})

test('a download that continues under If-Match never mixes two publications', async () => {
  const url = `/ipns/${key.name}/film`
  await publish(`/ipfs/${await gateway.addFolder({ film: 'first bytes' })}`)
  const etag = String((await get(url)).headers['etag'])
  const rest = await get(url, { 'if-match': etag, range: 'bytes=6-' })
  expect([rest.statusCode, rest.body]).toEqual([206, 'bytes'])
  await publish(`/ipfs/${await gateway.addFolder({ film: 'other words' })}`)
  expect(await codeOf(url, { 'if-match': etag, range: 'bytes=6-' })).toBe('412 PRECONDITION_FAILED')
})

test('every form of a name leads to the same content', async () => {
  await publish(`/ipfs/${await gateway.addFile('forms')}`)
  const cid = CID.parse(key.name, base36)
  const forms = [
    cid.toString(base36),
    cid.toString(base32),
    cid.toString(base16),
    cid.toString(base58btc),
    base58btc.encode(cid.multihash.bytes).slice(1),
  ]
  expect((await get(`/ipns/${key.name}`)).body).toBe('forms')
  for (const form of forms) {
    if (form !== key.name) {
      const moved = await get(`/ipns/${form}/a%20b/?c=d`)
      expect(`${moved.statusCode} ${moved.headers['location']}`).toBe(`302 /ipns/${key.name}/a%20b/?c=d`)
    }
    // On a gateway with subdomains, each name has exactly one origin.
    const { location } = (await get(`/ipns/${form}/a?b=c`, { host: 'dweb.test' })).headers
    expect(location).toBe(`http://${key.name}.ipns.dweb.test/a?b=c`)
    const label = await get('/a', { host: `${form}.ipns.dweb.test` })
    if (form === key.name) expect(label.statusCode).toBe(404)
    else expect(label.headers['location']).toBe(`http://${key.name}.ipns.dweb.test/a`)
  }
  expect((await get('/', { host: `${key.name}.ipns.dweb.test` })).body).toBe('forms')
  const asContent = CID.createV1(0x70, cid.multihash).toString(base36)
  const moved = await get('/', { host: `${asContent}.ipns.dweb.test` })
  expect(moved.headers['location']).toBe(`http://${key.name}.ipns.dweb.test/`)
  expect(await codeOf('/ipns/k51nothing')).toBe('400 INVALID_NAME')
  expect(await codeOf(`/ipns/${await gateway.addFile('x')}`)).toBe('400 INVALID_NAME')
  expect(await codeOf(`/ipns/${(await createNameKey()).name}`)).toBe('502 NAME_UNRESOLVED')
})

test('a response is cached no longer than any record on the way allows, and not beyond its expiry', async () => {
  const file = await gateway.addFile('ages')
  const age = async () => (await get(`/ipns/${key.name}`)).headers['cache-control']
  await publish(`/ipfs/${file}`, { ttlMs: 300_000, lifetimeMs: 120_000 })
  expect(await age()).toBe('public, max-age=120')
  place.clock.ms += 100_500
  expect(await age()).toBe('public, max-age=19')
  await publish(`/ipfs/${file}`, { ttlMs: 0 })
  expect(await age()).toBe('public, max-age=0')
  const other = await createNameKey()
  await publish(`/ipfs/${file}`, { by: other, ttlMs: 5000 })
  await publish(`/ipns/${other.name}`, { ttlMs: 60_000 })
  expect(await age()).toBe('public, max-age=5')
  place.clock.ms += 3_600_000
  expect(await codeOf(`/ipns/${key.name}`)).toBe('502 NAME_EXPIRED')
  expect((await get(`/ipns/${key.name}`)).headers['cache-control']).toBe('no-store')
})

test('follows names that point to names, with paths; rejects cycles and long chains', async () => {
  const root = await gateway.addFolder({ 'a/b/c.txt': 'deep', 'a/_redirects': '/old /new 302' })
  const [second, third] = [await createNameKey(), await createNameKey()]
  await publish(`/ipfs/${root}/a`, { by: third })
  await publish(`/ipns/${third.name}/b`, { by: second })
  await publish(`/ipns/${second.name}`)
  expect((await get(`/ipns/${key.name}/c.txt`)).body).toBe('deep')
  const listing = await get(`/ipns/${third.name}/b/`)
  expect(listing.body).toContain(`/ipns/<a href="/ipns/${third.name}">${third.name}</a>`)
  expect(listing.body).toContain(`href="/ipns/${third.name}/b/c.txt"`)
  expect(listing.headers['cache-control']).toBe('public, max-age=60')
  expect((await get(`/ipns/${third.name}/b`)).headers['location']).toBe(`/ipns/${third.name}/b/`)
  // The rules of a site apply relative to the name's target.
  const site = { host: `${third.name}.ipns.dweb.test` }
  expect((await get('/old', site)).headers['location']).toBe('/new')
  expect((await get('/b', site)).headers['location']).toBe('/b/')
  await publish(`/ipns/${key.name}`, { by: third })
  expect(await codeOf(`/ipns/${key.name}`)).toBe('502 NAME_TOO_DEEP')
  await publish(`/ipfs/${root}/nothing`)
  expect(await codeOf(`/ipns/${key.name}`)).toBe('404 PATH_NOT_FOUND')
})

test('serves the signed record for readers that verify it', async () => {
  const record = await publish(`/ipfs/${await gateway.addFile('x')}`)
  const type = 'application/vnd.ipfs.ipns-record'
  for (const answer of [
    await get(`/ipns/${key.name}?format=ipns-record`),
    await get(`/ipns/${key.name}`, { accept: type }),
  ]) {
    expect(answer.headers).toMatchObject({
      'content-type': type,
      'cache-control': 'public, max-age=60',
      'content-disposition': expect.stringContaining(`${key.name}.ipns-record`),
    })
    expect(answer.rawPayload).toEqual(Buffer.from(record))
    expect((await readRecord(key.name, answer.rawPayload, place.clock.ms)).sequence).toBe(sequence)
    const etag = String(answer.headers['etag'])
    expect((await get(`/ipns/${key.name}`, { accept: type, 'if-none-match': etag })).statusCode).toBe(304)
  }
  expect(await codeOf(`/ipns/${key.name}/a?format=ipns-record`)).toBe('400 INVALID_REQUEST')
  expect(await codeOf(`/ipns/${(await createNameKey()).name}?format=ipns-record`)).toBe('502 NAME_UNRESOLVED')
  expect((await gateway.app.inject({ method: 'HEAD', url: `/ipns/${key.name}?format=ipns-record` })).body).toBe('')
})

test('blocks and CARs below a name are those of its target', async () => {
  const root = await gateway.addFolder({ 'a.txt': 'x' })
  await publish(`/ipfs/${root}`)
  const raw = await get(`/ipns/${key.name}?format=raw`)
  expect(raw.headers).toMatchObject({ etag: `"${root}.raw"`, 'cache-control': 'public, max-age=60' })
  const car = await get(`/ipns/${key.name}/a.txt?format=car`)
  const cids: string[] = []
  for await (const { cid } of await CarBlockIterator.fromBytes(car.rawPayload)) cids.push(cid.toString())
  expect(cids[0]).toBe(root.toString())
})

test('DNS names lead to the target of their DNSLink, also as one label', async () => {
  const root = await gateway.addFolder({ 'index.html': 'home', 'a.txt': 'text' })
  await publish(`/ipfs/${root}`)
  dns.texts.set('_dnslink.my-site.example.org', [`dnslink=/ipns/${key.name}`])
  expect((await get('/ipns/my-site.example.org/a.txt')).body).toBe('text')
  const answer = await get('/ipns/My-Site.example.org/')
  expect(answer.body).toBe('home')
  expect(answer.headers).toMatchObject({
    'cache-control': 'public, max-age=60',
    'ipfs-uri': 'ipns://my-site.example.org/',
  })
  const toOrigin = async (headers: Record<string, string>) =>
    (await get('/ipns/my-site.example.org/a.txt', { host: 'dweb.test', ...headers })).headers['location']
  expect(await toOrigin({})).toBe('http://my--site-example-org.ipns.dweb.test/a.txt')
  expect(await toOrigin({ 'x-forwarded-proto': 'https' })).toBe('https://my--site-example-org.ipns.dweb.test/a.txt')
  for (const label of ['my-site.example.org', 'my--site-example-org']) {
    expect((await get('/a.txt', { host: `${label}.ipns.dweb.test` })).body).toBe('text')
  }
  expect(await codeOf('/ipns/nothing.example.org')).toBe('502 NAME_UNRESOLVED')
  expect(await codeOf('/ipns/my-site.example.org?format=ipns-record')).toBe('400 INVALID_REQUEST')
  dns.isBroken = true
  expect(await codeOf('/ipns/broken.example.org')).toBe('502 UPSTREAM_FAILED')
  const isolated = createTestGateway({ names: createNameResolver(context, undefined) })
  const off = await isolated.app.inject('/ipns/my-site.example.org/')
  expect(`${off.statusCode} ${off.headers['x-cairn-code']}`).toBe('501 NOT_SUPPORTED')
})

test('rejects odd names and paths without a look-up', async () => {
  for (const path of ['%00', '..%2f..', 'a'.repeat(300), 'localhost', '-x.example', 'exa mple.org', '127.0.0.1%0a']) {
    const { statusCode } = await get(`/ipns/${path}`)
    expect(statusCode, path).toBe(400)
  }
  expect((await get('/ipns/?uri=ipns://example.org/a')).headers['location']).toBe('/ipns/example.org/a')
  expect(dns.asked).toEqual([])
})

test('a custom domain shows the site of its DNSLink, and nothing else', async () => {
  const site = await gateway.addFolder({
    'index.html': '<p>home</p>',
    'docs/a.txt': 'a',
    'ipfs/own.txt': 'a folder of the site',
    _redirects: '/old /docs/a.txt 301\n/spa/* /index.html 200\n',
  })
  const stranger = await gateway.addFile('<script>steal()</script>')
  dns.texts.set('_dnslink.site.example.org', [`dnslink=/ipfs/${site}`])
  const host = { host: 'site.example.org' }
  const home = await get('/', host)
  expect(home.body).toBe('<p>home</p>')
  // A separate origin needs no sandbox.
  expect(home.headers['content-security-policy']).toBeUndefined()
  expect(home.headers).toMatchObject({
    'x-ipfs-path': '/ipns/site.example.org/',
    'cache-control': 'public, max-age=60',
  })
  expect((await get('/docs/a.txt', host)).body).toBe('a')
  expect((await get('/docs', host)).headers.location).toBe('/docs/')
  expect((await get('/old', host)).headers.location).toBe('/docs/a.txt')
  expect((await get('/spa/any/where', host)).body).toBe('<p>home</p>')
  // A signature of the site, as wallets add one to their return address.
  expect((await get('/spa/signed?expires=9999999999&signature=0x12', host)).body).toBe('<p>home</p>')
  const page = (await get('/docs/', host)).body
  expect(page).toContain('/ipns/<a href="//site.example.org/">site.example.org</a>/<a href="//site.example.org/docs">')
  expect(page).toContain('<a href="/docs/a.txt">a.txt</a>')
  // Other content would run with the permissions of the site.
  expect((await get('/ipfs/own.txt', host)).body).toBe('a folder of the site')
  expect(await codeOf(`/ipfs/${stranger}`, host)).toBe('404 PATH_NOT_FOUND')
  expect((await gateway.app.inject({ method: 'POST', url: '/', headers: host })).statusCode).toBe(405)
  expect((await get('/', { host: 'gateway.test', 'x-forwarded-host': 'SITE.example.org:8443' })).body).toBe(
    '<p>home</p>',
  )
})

test('a domain without a DNSLink is a path gateway, also while DNS is unavailable', async () => {
  const page = await gateway.addFolder({ 'a.html': '<p>page</p>' })
  const host = { host: 'plain.example.org' }
  const answer = await get(`/ipfs/${page}/a.html`, host)
  expect(answer.body).toBe('<p>page</p>')
  expect(answer.headers['content-security-policy']).toContain('sandbox')
  expect(await codeOf('/', host)).toBe('404 NOT_FOUND')
  dns.isBroken = true
  const other = { host: 'other.example.org' }
  const boxed = await get(`/ipfs/${page}/a.html`, other)
  expect(boxed.body).toBe('<p>page</p>')
  expect(boxed.headers['content-security-policy']).toContain('sandbox')
  expect(await codeOf('/', other)).toBe('502 UPSTREAM_FAILED')
})

test('serves content paths of any host while too many names are being looked up', async () => {
  const names: NameResolver = {
    ...createNameResolver(context, undefined),
    hasDnslink: () => Promise.reject(new CairnError('OVERLOADED', { retryAfterSeconds: 2 })),
  }
  const busy = createTestGateway({ names })
  const page = await busy.addFolder({ 'a.html': '<p>page</p>' })
  const fetch = (url: string) => busy.app.inject({ url, headers: { host: 'busy.example.org' } })
  const boxed = await fetch(`/ipfs/${page}/a.html`)
  expect(boxed.body).toBe('<p>page</p>')
  expect(boxed.headers['content-security-policy']).toContain('sandbox')
  expect((await fetch('/')).headers['x-cairn-code']).toBe('OVERLOADED')
  await busy.app.close()
})

test('rules apply to the target of a name, to names on the way, and to the index of a folder', async () => {
  const denylist = createDenylist(undefined)
  const own = createTestGateway({
    names: createNameResolver(context, undefined),
    denylist,
    now: place.clock.now,
  })
  const root = await own.addFolder({
    'bad/a.txt': 'a',
    'folder/index.html': 'index',
    '404.html': 'missing',
    _redirects: '/* /404.html 404',
  })
  const hop = await createNameKey()
  await publish(`/ipfs/${root}`, { by: hop })
  await publish(`/ipns/${hop.name}/bad`)
  const site = await createNameKey()
  await publish(`/ipfs/${root}`, { by: site })
  const read = async (url: string, host = '127.0.0.1') => {
    const { statusCode, body } = await own.app.inject({ url, headers: { host } })
    return statusCode < 300 || statusCode === 404 ? body : statusCode
  }
  const origin = `${root}.ipfs.dweb.test`
  const readAll = async () => [
    await read(`/ipns/${key.name}/a.txt`),
    await read(`/ipns/${hop.name}/bad/a.txt`),
    await read(`/ipfs/${root}/folder/`),
    await read(`/ipns/${site.name}/folder/`),
    await read('/nothing', origin),
  ]
  const readDenied = async (rule: string) => {
    denylist.replace(createRuleSet(parseDenylist(rule).rules))
    // Small responses are kept for a second.
    place.clock.ms += 1000
    return readAll()
  }
  const all = ['a', 'a', 'index', 'index', 'missing']
  expect(await readAll()).toEqual(all)
  expect(await readDenied(`/ipfs/${root}/bad/a.txt`)).toEqual([410, 410, ...all.slice(2)])
  expect(await readDenied(`/ipfs/${root}/bad/*`)).toEqual([410, 410, ...all.slice(2)])
  expect(await readDenied(`/ipns/${hop.name}/*`)).toEqual([410, 410, ...all.slice(2)])
  expect(await readDenied(`/ipns/${hop.name}/bad/a.txt`)).toEqual([410, 410, ...all.slice(2)])
  expect(await readDenied(`/ipfs/${root}/folder/index.html`)).toEqual(['a', 'a', 410, 410, 'missing'])
  expect(await readDenied(`/ipfs/${root}/404.html`)).toEqual(['a', 'a', 'index', 'index', 410])
  await own.app.close()
})

test('never looks up addresses, names without a dot and the name of the gateway', async () => {
  const file = await gateway.addFile('x')
  for (const host of ['127.0.0.1:8081', '[::1]', 'gateway', 'dweb.test', `${file}.ipfs.dweb.test`]) {
    await get('/', { host })
  }
  await using own = createTestGateway({
    names: createNameResolver(context, createDnslinkResolver([dns.address], place.clock.now)),
    publicUrl: 'https://gateway.example.org',
  }).app
  await own.inject({ url: '/', headers: { host: 'gateway.example.org' } })
  expect(dns.asked).toEqual([])
})
