import { importProfiles } from '@cairn/unixfs'
import { base16 } from 'multiformats/bases/base16'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { base64url } from 'multiformats/bases/base64'
import { describe, expect, it } from 'vitest'
import { blockKey, createTestGateway, makeBytes, sha256 } from './test-gateway.fixture.ts'

const encode = (segments: string[]) => segments.map(encodeURIComponent).join('/')

describe('files on the path gateway', () => {
  it('returns the bytes with the headers of immutable content', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({ 'docs/hello.txt': 'hello world' })
    const answer = await app.inject(`/ipfs/${root}/docs/hello.txt`)
    expect(answer.statusCode).toBe(200)
    expect(answer.body).toBe('hello world')
    const roots = String(answer.headers['x-ipfs-roots']).split(',')
    expect(roots).toHaveLength(3)
    expect(roots[0]).toBe(root.toString())
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '11',
      'cache-control': 'public, max-age=29030400, immutable',
      etag: `"${roots[2]}"`,
      'x-ipfs-path': `/ipfs/${root}/docs/hello.txt`,
      'ipfs-uri': `ipfs://${root}/docs/hello.txt`,
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.headers['last-modified']).toBeUndefined()
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  })

  it('accepts a CID in every form', async () => {
    const { app, addFile } = createTestGateway()
    const v0 = await addFile('forms', importProfiles.v0)
    const v1 = v0.toV1()
    const texts = [v0.toString(), v1.toString(), v1.toString().toUpperCase()]
    for (const base of [base16, base36, base58btc, base64url]) texts.push(v1.toString(base))
    for (const text of texts) expect((await app.inject(`/ipfs/${text}`)).body, text).toBe('forms')
  })

  it('answers HEAD as GET, without the body', async () => {
    const { app, addFile } = createTestGateway()
    const cid = await addFile(makeBytes(600_000))
    const get = await app.inject(`/ipfs/${cid}`)
    const head = await app.inject({ method: 'HEAD', url: `/ipfs/${cid}` })
    const { date: _d1, ...getHeaders } = get.headers
    const { date: _d2, ...headHeaders } = head.headers
    expect(head.rawPayload).toHaveLength(0)
    expect(headHeaders).toEqual(getHeaders)
    expect(get.rawPayload.equals(makeBytes(600_000))).toBe(true)
  })

  it('reads only what a named range needs: a HEAD of a named file touches no leaf', async () => {
    const { app, addFolder, blocks } = createTestGateway()
    const root = await addFolder({ 'big.bin': makeBytes(600_000) })
    for (const [key, bytes] of blocks) if (bytes.length > 50_000) blocks.delete(key)
    const head = await app.inject({ method: 'HEAD', url: `/ipfs/${root}/big.bin` })
    expect(head.statusCode).toBe(200)
    expect(head.headers['content-length']).toBe('600000')
  })

  it.each([
    ['page.html', '<p>hi', 'text/html; charset=utf-8'],
    ['style.css', 'a{}', 'text/css; charset=utf-8'],
    ['app.js', '1', 'text/javascript; charset=utf-8'],
    ['data.json', '{}', 'application/json'],
    ['pic.svg', '<svg/>', 'image/svg+xml; charset=utf-8'],
    ['noname', '{"a":1}', 'application/json'],
    ['text', 'just words', 'text/plain; charset=utf-8'],
    ['doc', '<!DOCTYPE html><p>', 'text/html; charset=utf-8'],
    ['drawing', '<?xml version="1.0"?><svg xmlns="x"/>', 'image/svg+xml; charset=utf-8'],
    ['image', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1), 'image/jpeg'],
    ['bytes', Uint8Array.of(0, 1, 2, 255), 'application/octet-stream'],
    ['nothing', '', 'text/plain; charset=utf-8'],
  ])('detects the type of %s', async (name, content, type) => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({ [name]: content })
    const answer = await app.inject(`/ipfs/${root}/${name}`)
    expect(answer.headers['content-type']).toBe(type)
    const active = /html|svg|\bxml/.test(type)
    expect(answer.headers['content-security-policy'] ?? '').toBe(active ? "sandbox; frame-ancestors 'none'" : '')
  })

  it('serves odd names, each in its own encoding', async () => {
    const names = [
      'ü ñ.txt',
      "it's.txt",
      'say "hi".txt',
      '100%25.txt',
      'a+b.txt',
      '#1?.txt',
      'emoji🚀.txt',
      '<b>.txt',
      ' ',
      '%2e',
    ]
    const { app, addFolder } = createTestGateway()
    const root = await addFolder(Object.fromEntries(names.map((name) => [name, `in ${name}`])))
    for (const name of names) {
      const answer = await app.inject(`/ipfs/${root}/${encodeURIComponent(name)}`)
      expect(answer.body, name).toBe(`in ${name}`)
      const plain = /^[\x20-\x7e]*$/.test(name)
      expect(answer.headers['x-ipfs-path'], name).toBe(plain ? `/ipfs/${root}/${name}` : undefined)
    }
    const page = (await app.inject(`/ipfs/${root}/`)).body
    expect(page).not.toContain('<b>')
    for (const name of names)
      expect(page).toContain(`href="/ipfs/${root}/${encodeURIComponent(name).replaceAll("'", '%27')}"`)
  })

  it('resolves encoded slashes and dots inside the root, and rejects paths that leave it', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({ 'a/b.txt': 'b', 'c.txt': 'c' })
    expect((await app.inject(`/ipfs/${root}/a%2Fb.txt`)).body).toBe('b')
    expect((await app.inject(`/ipfs/${root}/a%2F..%2Fc%2Etxt`)).body).toBe('c')
    for (const path of ['%2e%2e%2f%2e%2e', 'a%2f..%2f..%2f..', '%2e%2e%2f%2e%2e%2fetc%2fpasswd']) {
      expect((await app.inject(`/ipfs/${root}/${path}`)).headers['x-cairn-code'], path).toBe('INVALID_PATH')
    }
    expect((await app.inject(`/ipfs/${root}/%00`)).headers['x-cairn-code']).toBe('INVALID_PATH')
    expect((await app.inject(`/ipfs/${root}/%ff`)).headers['x-cairn-code']).toBe('INVALID_PATH')
  })

  it('shows the target of a symbolic link', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({ foo: 'x', bar: { target: 'foo' } })
    expect((await app.inject(`/ipfs/${root}/bar`)).body).toBe('foo')
  })

  it('names a download as requested', async () => {
    const { app, addFile } = createTestGateway()
    const cid = await addFile('x')
    const get = async (query: string) => (await app.inject(`/ipfs/${cid}?${query}`)).headers['content-disposition']
    expect(await get('filename=a.txt')).toBe('inline; filename="a.txt"')
    expect(await get('filename=a.txt&download=true')).toBe('attachment; filename="a.txt"')
    expect(await get('download=true')).toBe('attachment')
    expect(await get(`filename=${encodeURIComponent('тест.pdf')}`)).toBe(
      `inline; filename="____.pdf"; filename*=UTF-8''%D1%82%D0%B5%D1%81%D1%82.pdf`,
    )
    expect(await get(`filename=${encodeURIComponent('x"\r\nset-cookie: a=b')}`)).not.toContain('\n')
    expect((await app.inject(`/ipfs/${cid}?filename=page.html`)).headers['content-type']).toBe(
      'text/html; charset=utf-8',
    )
  })

  it('returns clear errors', async () => {
    const { app, addFile, addFolder } = createTestGateway()
    const file = await addFile('x')
    const root = await addFolder({ a: 'x' })
    const code = async (url: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'QUERY' = 'GET') => {
      const answer = await app.inject({ url, method })
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
      return `${answer.statusCode} ${answer.headers['x-cairn-code']}`
    }
    expect(await code('/ipfs/QmInvalidCID')).toBe('400 INVALID_CID')
    expect((await app.inject('/ipfs/QmInvalidCID')).body).toContain('invalid path "/ipfs/QmInvalidCID"')
    expect(await code(`/ipfs/${await createTestGateway().addFile('elsewhere')}`)).toBe('404 BLOCK_NOT_FOUND')
    expect(await code(`/ipfs/${root}/b`)).toBe('404 PATH_NOT_FOUND')
    expect(await code(`/ipfs/${file}/b`)).toBe('404 PATH_NOT_FOUND')
    expect(await code('/ipns/example.org')).toBe('400 INVALID_NAME')
    expect(await code('/')).toBe('404 NOT_FOUND')
    expect(await code('/api/v0/id', 'POST')).toBe('404 NOT_FOUND')
    expect(await code(`/ipfs/${file}`, 'PUT')).toBe('405 METHOD_NOT_ALLOWED')
    expect(await code(`/ipfs/${file}`, 'QUERY')).toBe('405 METHOD_NOT_ALLOWED')
    expect(await code(`/ipfs/${file}`, 'POST')).toBe('405 METHOD_NOT_ALLOWED')
    expect(await code(`/ipfs/${file}?format=zip`)).toBe('406 NOT_ACCEPTABLE')
    const put = await app.inject({ method: 'DELETE', url: `/ipfs/${file}` })
    expect(put.headers['allow']).toBe('GET, HEAD, OPTIONS')
    const cached = { 'cache-control': 'only-if-cached' }
    expect(
      (await app.inject({ url: '/ipfs/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e', headers: cached }))
        .statusCode,
    ).toBe(412)
    const worker = await app.inject({ url: `/ipfs/${file}`, headers: { 'service-worker': 'script' } })
    expect(worker.statusCode).toBe(400)
  })

  it('answers preflights', async () => {
    const { app } = createTestGateway()
    const answer = await app.inject({ method: 'OPTIONS', url: '/ipfs/bafkqabtimvwgy3yk/' })
    expect(answer.statusCode).toBe(204)
    expect(answer.headers['access-control-allow-methods']).toContain('HEAD')
    expect((await app.inject('/ipfs/bafkqabtimvwgy3yk/')).body).toBe('hello\n')
  })
})

describe('conditional requests', () => {
  it.each([
    [(tag: string) => tag, 304],
    [(tag: string) => `W/${tag}`, 304],
    [(tag: string) => `"a", ${tag} , "b"`, 304],
    [() => '*', 304],
    [() => '"other"', 200],
    [(tag: string) => tag.slice(1, -1), 200],
  ])('compares tags weakly (%s)', async (header, status) => {
    const { app, addFile } = createTestGateway()
    const cid = await addFile('x')
    const answer = await app.inject({ url: `/ipfs/${cid}`, headers: { 'if-none-match': header(`"${cid}"`) } })
    expect(answer.statusCode).toBe(status)
    expect(answer.headers['etag']).toBe(`"${cid}"`)
    if (status === 304) expect(answer.rawPayload).toHaveLength(0)
  })

  it.each([
    [(tag: string) => tag, 200],
    [(tag: string) => `"a", ${tag} , "b"`, 200],
    [() => '*', 200],
    [(tag: string) => `W/${tag}`, 412],
    [() => '"other"', 412],
    [(tag: string) => tag.slice(1, -1), 412],
  ])('compares tags of If-Match strongly (%s)', async (header, status) => {
    const { app, addFile } = createTestGateway()
    const cid = await addFile('x')
    // A response that is kept for a second must not replace the comparison.
    expect((await app.inject(`/ipfs/${cid}`)).body).toBe('x')
    const answer = await app.inject({ url: `/ipfs/${cid}`, headers: { 'if-match': header(`"${cid}"`) } })
    expect(answer.statusCode).toBe(status)
  })

  it('evaluates If-Match before If-None-Match and before the range', async () => {
    const { app, addFile } = createTestGateway()
    const cid = await addFile('x')
    const get = (headers: Record<string, string>) => app.inject({ url: `/ipfs/${cid}`, headers })
    expect((await get({ 'if-match': '"other"', 'if-none-match': `"${cid}"` })).statusCode).toBe(412)
    expect((await get({ 'if-match': '"other"', range: 'bytes=9-' })).statusCode).toBe(412)
    expect((await get({ 'if-match': `"${cid}"`, 'if-none-match': `"${cid}"` })).statusCode).toBe(304)
  })

  it('reads no part of a file for a client that has it, also if its type would be detected', async () => {
    const { app, addFile, reads } = createTestGateway()
    const cid = await addFile(makeBytes(3000), { ...importProfiles.v1, chunkSizeBytes: 100 })
    const answer = await app.inject({ url: `/ipfs/${cid}`, headers: { 'if-none-match': `"${cid}"` } })
    expect(answer.statusCode).toBe(304)
    expect(answer.headers).toMatchObject({ etag: `"${cid}"`, 'cache-control': 'public, max-age=29030400, immutable' })
    expect(reads.count).toBe(1)
  })

  it('answers If-Range with all bytes when the tag differs', async () => {
    const { app, addFile } = createTestGateway()
    const cid = await addFile('0123456789')
    const get = (ifRange: string) =>
      app.inject({ url: `/ipfs/${cid}`, headers: { range: 'bytes=2-3', 'if-range': ifRange } })
    expect((await get(`"${cid}"`)).body).toBe('23')
    for (const other of ['"x"', `W/"${cid}"`, 'Wed, 21 Oct 2015 07:28:00 GMT']) {
      expect((await get(other)).body).toBe('0123456789')
    }
  })
})

describe('folders', () => {
  it('redirects a folder without a slash to the one with a slash', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({ 'ą/ę/f.txt': 'x' })
    const answer = await app.inject(`/ipfs/${root}/${encode(['ą', 'ę'])}?a=1`)
    expect(answer.statusCode).toBe(301)
    expect(answer.headers.location).toBe(`/ipfs/${root}/%C4%85/%C4%99/?a=1`)
  })

  it('shows index.html under the tag of the folder', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({ 'index.html': '<h1>home', 'a.txt': 'a' })
    const answer = await app.inject(`/ipfs/${root}/`)
    expect(answer.body).toBe('<h1>home')
    expect(answer.headers['etag']).toBe(`"${root}"`)
    expect(answer.headers['x-ipfs-roots']).toBe(root.toString())
  })

  it('lists the contents of a folder, safely escaped', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({
      'sub/<script>alert(1)</script>.txt': 'x',
      'sub/"onload=.txt': 'y',
      'sub/\u202egnp.exe': 'z',
    })
    const answer = await app.inject(`/ipfs/${root}/sub/`)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
    expect(answer.headers['content-security-policy']).not.toContain('unsafe')
    expect(answer.headers['cache-control']).toBe('public, max-age=604800, stale-while-revalidate=2678400')
    expect(answer.body).toContain('Index of')
    expect(answer.body).not.toContain('<script')
    expect(answer.body).not.toContain('"onload')
    expect(answer.body).toContain(`<a href="/ipfs/${root}/sub/..">..</a>`)
    const again = await app.inject({
      url: `/ipfs/${root}/sub/`,
      headers: { 'if-none-match': String(answer.headers['etag']) },
    })
    expect(again.statusCode).toBe(304)
  })

  it('returns a page of 500 and links to the rest', async () => {
    const { app, addFolder } = createTestGateway()
    const names = Array.from({ length: 550 }, (_, at) => `entry number ${at}.txt`)
    const root = await addFolder(Object.fromEntries(names.map((name) => [name, 'x'])))
    const first = (await app.inject(`/ipfs/${root}/`)).body
    const second = (await app.inject(`/ipfs/${root}/?page=2`)).body
    expect([...first.matchAll(/>(entry number \d+\.txt)</g)]).toHaveLength(500)
    const listed = [...first.matchAll(/>(entry number \d+\.txt)</g), ...second.matchAll(/>(entry number \d+\.txt)</g)]
    expect(listed.map((match) => match[1]).sort()).toEqual(names.sort())
    expect(first).toContain('rel="next" href="?page=2"')
    expect(second).not.toContain('rel="next"')
    const deep = await app.inject(`/ipfs/${root}/${encodeURIComponent('entry number 333.txt')}`)
    expect(deep.body).toBe('x')
  })
})

describe('cat', () => {
  it('returns the bytes to published clients, whatever body they send', async () => {
    const { app, addFolder, addFile } = createTestGateway()
    const cid = await addFile(makeBytes(600_000))
    for (const payload of [undefined, '', 'x=1']) {
      const answer = await app.inject({
        method: 'POST',
        url: `/api/v0/cat/${cid}`,
        ...(payload === undefined ? {} : { payload }),
      })
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['content-length']).toBe('600000')
      expect(answer.headers['access-control-allow-origin']).toBe('*')
      expect(answer.rawPayload.equals(makeBytes(600_000))).toBe(true)
    }
    const root = await addFolder({ 'a b.txt': 'in' })
    expect((await app.inject({ method: 'POST', url: `/api/v0/cat/${root}/a%20b.txt` })).body).toBe('in')
    expect((await app.inject({ method: 'POST', url: `/api/v0/cat/${root}` })).statusCode).toBe(400)
    expect((await app.inject(`/api/v0/cat/${cid}`)).statusCode).toBe(405)
    expect(
      (await app.inject({ method: 'POST', url: `/api/v0/cat/${cid}`, payload: 'x'.repeat(100_000) })).statusCode,
    ).toBe(413)
  })
})

describe('damage', () => {
  it('is reported, never served', async () => {
    const { app, addFile, blocks } = createTestGateway()
    const cid = await addFile('precious')
    const block = blocks.get(blockKey(cid)) ?? new Uint8Array()
    block[3] = (block[3] ?? 0) ^ 1
    const answer = await app.inject(`/ipfs/${cid}`)
    expect(answer.statusCode).toBe(500)
    expect(answer.headers['x-cairn-code']).toBe('DATA_DAMAGED')
    // An operator finds the log line that a user reports.
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.body).not.toContain('prec')
  })

  it('and deletion show within a second, also for recently requested content', async () => {
    let now = 1_000_000
    const { app, addFile, blocks, reads } = createTestGateway({ now: () => now })
    const cid = await addFile('popular')
    const get = () => app.inject({ url: `/ipfs/${cid}`, headers: { accept: '*/*' } })
    const first = await get()
    const count = reads.count
    const { date: _date, ...headers } = (await get()).headers
    expect(headers).toEqual({ ...first.headers, date: undefined })
    expect(reads.count).toBe(count)
    expect((await app.inject({ url: `/ipfs/${cid}`, headers: { range: 'bytes=0-2' } })).body).toBe('pop')
    expect((await app.inject({ url: `/ipfs/${cid}?format=raw` })).headers['content-type']).toBe(
      'application/vnd.ipld.raw',
    )
    blocks.clear()
    expect((await get()).body).toBe('popular')
    now += 1000
    expect((await get()).statusCode).toBe(404)
  })
})

describe('a file with a block missing', () => {
  it('is read by ranges that do not touch it', async () => {
    const { app, addFile, blocks } = createTestGateway()
    const content = Buffer.concat([Buffer.alloc(1000, 'a'), Buffer.alloc(1000, 'b'), Buffer.alloc(1000, 'c')])
    const cid = await addFile(content, { ...importProfiles.v1, chunkSizeBytes: 1000 })
    blocks.delete(Buffer.concat([Buffer.of(0x12, 32), sha256(content.subarray(1000, 2000))]).toString('hex'))
    for (const [range, start, end] of [
      ['bytes=0-999', 0, 1000],
      ['bytes=2000-2999', 2000, 3000],
      ['bytes=-10', 2990, 3000],
    ] as const) {
      const answer = await app.inject({ url: `/ipfs/${cid}`, headers: { range } })
      expect(answer.statusCode, range).toBe(206)
      expect(answer.rawPayload.equals(content.subarray(start, end)), range).toBe(true)
    }
    expect((await app.inject(`/ipfs/${cid}`)).headers['x-cairn-code']).toBe('BLOCK_NOT_FOUND')
    await app.close()
  })
})
