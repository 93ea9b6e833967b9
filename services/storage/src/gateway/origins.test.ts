import { importProfiles } from '@cairn/unixfs'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { createTestGateway } from './test-gateway.fixture.ts'

describe('origins', () => {
  it('redirects paths of a name with subdomains to the origin of the CID', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({ 'a b.txt': 'x' }, importProfiles.v0)
    const answer = await app.inject({ url: `/ipfs/${root}/a%20b.txt?x=1`, headers: { host: 'dweb.test:8081' } })
    expect(answer.statusCode).toBe(301)
    expect(answer.headers.location).toBe(`http://${root.toV1()}.ipfs.dweb.test:8081/a%20b.txt?x=1`)
    const direct = await app.inject({ url: `/ipfs/${root}/a%20b.txt`, headers: { host: '127.0.0.1:8081' } })
    expect(direct.body).toBe('x')
  })

  it('serves blocks and CARs on a name with subdomains without a redirect, as downloads', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({ 'a.txt': 'x' })
    const host = 'dweb.test:8081'
    for (const [format, type] of [
      ['raw', 'application/vnd.ipld.raw'],
      ['car', 'application/vnd.ipld.car'],
    ] as const) {
      const byQuery = await app.inject({ url: `/ipfs/${root}?format=${format}`, headers: { host } })
      const byHeader = await app.inject({ url: `/ipfs/${root}`, headers: { host, accept: type } })
      for (const answer of [byQuery, byHeader]) {
        expect(answer.statusCode).toBe(200)
        expect(answer.headers['content-type']).toContain(type)
        expect(answer.headers['content-disposition']).toMatch(/^attachment/)
        expect(answer.headers['x-content-type-options']).toBe('nosniff')
      }
      const direct = await app.inject({ url: `/ipfs/${root}?format=${format}`, headers: { host: '127.0.0.1' } })
      expect(byQuery.rawPayload.equals(direct.rawPayload)).toBe(true)
    }
    const other = await app.inject({ url: `/ipfs/${root}?format=tar`, headers: { host } })
    expect(other.statusCode).toBe(301)
  })

  it('serves a CID on its own origin, unboxed', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({ 'index.html': '<h1>', 'ipfs/file.txt': 'I am', 'sub/x': '1' })
    const get = (path: string, label = root.toString()) =>
      app.inject({ url: path, headers: { host: `${label}.ipfs.dweb.test:8081` } })
    const home = await get('/')
    expect(home.body).toBe('<h1>')
    expect(home.headers['content-security-policy']).toBeUndefined()
    expect(home.headers['x-ipfs-path']).toBe(`/ipfs/${root}/`)
    expect((await get('/ipfs/file.txt')).body).toBe('I am')
    expect((await get('/sub')).headers.location).toBe('/sub/')
    expect((await get('/sub/')).body).toContain(`href="//dweb.test:8081/ipfs/${root}"`)
    expect((await get('/api/v0/cat/x')).statusCode).toBe(404)
    const upper = await get('/sub/', root.toString().toUpperCase())
    expect(upper.headers.location).toBe(`http://${root}.ipfs.dweb.test:8081/sub/`)
    const odd = await get('/', root.toString(base36))
    expect(odd.headers.location).toBe(`http://${root}.ipfs.dweb.test:8081/`)
    expect((await get('/', 'nonsense')).statusCode).toBe(400)
    const named = await app.inject({ url: '/', headers: { host: 'k51.ipns.dweb.test' } })
    expect(named.statusCode).toBe(400)
  })

  it('rejects labels longer than DNS allows', async () => {
    const { app } = createTestGateway()
    const long = CID.createV1(0x55, Digest.create(0x13, new Uint8Array(64))).toString()
    const path = await app.inject({ url: `/ipfs/${long}`, headers: { host: 'dweb.test' } })
    expect(path.statusCode).toBe(400)
    expect(path.body).toContain('CID incompatible with DNS label length limit of 63')
    const label = await app.inject({ url: '/', headers: { host: `${long}.ipfs.dweb.test` } })
    expect(label.body).toContain('CID incompatible with DNS label length limit of 63')
  })

  it('trusts forwarded names from trusted proxies only', async () => {
    const cid = 'bafkqabtimvwgy3yk'
    const request = {
      url: `/ipfs/${cid}`,
      headers: { host: 'inside.example', 'x-forwarded-host': 'dweb.example', 'x-forwarded-proto': 'https' },
    }
    const trusting = createTestGateway({ hosts: ['dweb.example'], proxies: ['127.0.0.0/8'] })
    expect((await trusting.app.inject(request)).headers.location).toBe(`https://${cid}.ipfs.dweb.example/`)
    const strict = createTestGateway({ hosts: ['dweb.example'] })
    expect((await strict.app.inject(request)).body).toBe('hello\n')
  })

  it('follows links of the ipfs scheme', async () => {
    const { app } = createTestGateway()
    const follow = async (uri: string) => (await app.inject(`/ipfs/?uri=${encodeURIComponent(uri)}`)).headers.location
    expect(await follow('ipfs://bafkqaaa/wiki/Diego Maradona.html')).toBe('/ipfs/bafkqaaa/wiki/Diego%20Maradona.html')
    const encoded = '/what%3F%20no%231/100%25/%E2%82%AC?filename=a%20b%26c.txt'
    expect(await follow(`ipfs://bafkqaaa${encoded}`)).toBe(`/ipfs/bafkqaaa${encoded}`)
    expect(await follow('ipfs://bafkqaaa/50% €')).toBe('/ipfs/bafkqaaa/50%25%20%E2%82%AC')
  })

  it('follows the rules of a _redirects file for a missing path', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({
      _redirects:
        '# rules\n/one /one.html\n/two /two.html 302\n/p/:y/:t /a/:y/:t 301\n/s/* /t/:splat\n/gone/* /410.html 410\n/* /index.html 200\n',
      'index.html': 'home',
      'two.html': '2',
      '410.html': 'gone',
    })
    const get = (path: string, accept = 'text/html') =>
      app.inject({ url: path, headers: { host: `${root}.ipfs.dweb.test`, accept } })
    expect((await get('/one')).headers.location).toBe('/one.html')
    expect((await get('/two')).statusCode).toBe(302)
    expect((await get('/two.html')).body).toBe('2')
    expect((await get('/p/2022/hi%20there')).headers.location).toBe('/a/2022/hi%20there')
    expect((await get('/s/x/y')).headers.location).toBe('/t/x/y')
    // As in Kubo's gateway, a splat has at least one name.
    expect((await get('/s')).body).toBe('home')
    expect((await get('/s/')).body).toBe('home')
    expect((await get('/gone/a')).statusCode).toBe(410)
    expect((await get('/gone/a')).body).toBe('gone')
    expect((await get('/anything')).body).toBe('home')
    expect((await get('/anything?signature=of-the-site')).body).toBe('home')
    expect((await get('/anything?format=raw')).statusCode).toBe(404)
    // A client that verifies content would get that of another path.
    for (const accept of ['application/vnd.ipld.raw', 'application/x-tar'])
      expect([accept, (await get('/anything', accept)).statusCode]).toEqual([accept, 404])
    // A CAR proves that the path does not exist.
    const proof = await get('/anything', 'application/vnd.ipld.car')
    expect([proof.statusCode, proof.body.includes('home')]).toEqual([200, false])
    expect((await get('/anything', 'application/json, */*')).body).toBe('home')
  })

  it('keeps the query of a request in the redirects of a _redirects file', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({
      _redirects: [
        '/plain/* /target/:splat 301',
        '/fixed/* /target?fixed=1&lang=en#part 302',
        '/parts/:code/:name /target?code=:code&name=:name 301',
        '/away/* https://example.net/away/:splat 301',
        '/shown/* /page.txt 200',
      ].join('\n'),
      'page.txt': 'page',
    })
    const get = (path: string) => app.inject({ url: path, headers: { host: `${root}.ipfs.dweb.test` } })
    const follow = async (path: string) => (await get(path)).headers.location
    expect(await follow('/plain/a?x=1&x=2&y=%26%25')).toBe('/target/a?x=1&x=2&y=%26%25')
    expect(await follow('/fixed/a')).toBe('/target?fixed=1&lang=en#part')
    // If both have a parameter, the one of the request counts.
    expect(await follow('/fixed/a?lang=de&z')).toBe('/target?fixed=1&lang=de&z=#part')
    expect(await follow('/parts/7/a%26b?q=1')).toBe('/target?code=7&name=a%26b&q=1')
    expect(await follow('/away/a?utm=x')).toBe('https://example.net/away/a?utm=x')
    expect((await get('/shown/a?x=1')).body).toBe('page')
  })

  it('follows rules that end in a slash, and rules to addresses of IPFS', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({
      _redirects: '/old/ /new/\n/p/:x/ /q/:x\n/cid/* ipfs://bafkqaaa/:splat\n/name ipns://docs.ipfs.tech/ 302\n',
    })
    const follow = async (url: string) =>
      (await app.inject({ url, headers: { host: `${root}.ipfs.dweb.test` } })).headers.location
    expect(await follow('/old/')).toBe('/new/')
    expect(await follow('/old')).toBe('/new/')
    expect(await follow('/p/1/')).toBe('/q/1')
    expect(await follow('/cid/a/b')).toBe('ipfs://bafkqaaa/a/b')
    expect(await follow('/name')).toBe('ipns://docs.ipfs.tech/')
  })

  it('rejects a rule with two placeholders of one name', async () => {
    const { app, addFolder } = createTestGateway()
    const get = async (from: string) => {
      const root = await addFolder({ _redirects: `${from} /b/:x` })
      return (await app.inject({ url: '/p/1/2', headers: { host: `${root}.ipfs.dweb.test` } })).statusCode
    }
    expect(await get('/p/:x/:x')).toBe(500)
    expect(await get('/p/:x/:y')).toBe(301)
  })

  it('makes no address of any length by a rule that repeats a part of the path', async () => {
    const { app, addFolder } = createTestGateway()
    const get = async (status: number, repeated: number) => {
      const root = await addFolder({ _redirects: `/:x /${':x'.repeat(repeated)} ${status}` })
      return app.inject({ url: `/${'x'.repeat(8000)}`, headers: { host: `${root}.ipfs.dweb.test` } })
    }
    expect((await get(301, 2)).headers.location).toBe(`/${'x'.repeat(16_000)}`)
    for (const status of [200, 301, 404]) {
      const { statusCode, body } = await get(status, 500)
      expect([status, statusCode, body]).toEqual([
        status,
        500,
        expect.stringContaining('cannot exceed 16384 characters'),
      ])
    }
  })

  it('reports a bad _redirects file to the visitors of the site, and not in the log of the operator', async () => {
    const lines: string[] = []
    const { app, addFolder, blocks } = createTestGateway({
      log: pino({ level: 'info' }, { write: (line) => lines.push(line) }),
    })
    const get = async (root: CID) => app.inject({ url: '/x', headers: { host: `${root}.ipfs.dweb.test` } })
    const bad = await get(await addFolder({ _redirects: '/a /b 301!' }))
    expect([bad.statusCode, bad.body]).toEqual([
      500,
      expect.stringContaining(
        'could not parse _redirects: line 1: forced redirects (or "shadowing") are not supported',
      ),
    ])
    const large = await get(await addFolder({ _redirects: '#'.repeat(64 * 1024 + 1) }))
    expect([large.statusCode, large.body]).toEqual([500, expect.stringContaining('cannot exceed 65536 bytes')])
    expect(lines).toEqual([])
    // A defect of the store is the operator's problem.
    const damaged = await addFolder({ _redirects: '/a /b' })
    for (const [key, bytes] of blocks)
      blocks.set(
        key,
        bytes.map((byte) => byte ^ 1),
      )
    expect((await get(damaged)).statusCode).toBe(500)
    expect(lines).toHaveLength(1)
  })
})
