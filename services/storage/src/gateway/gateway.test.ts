import { decodeNode, importProfiles } from '@cairn/unixfs'
import { CarBlockIterator } from '@ipld/car'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import fc from 'fast-check'
import { base16 } from 'multiformats/bases/base16'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { base64url } from 'multiformats/bases/base64'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { writeTar } from './serve-tar.ts'
import { blockKey, createTestGateway, sha256 } from './test-gateway.ts'

const encode = (segments: string[]) => segments.map(encodeURIComponent).join('/')

const cidOf = (code: number, bytes: Uint8Array) => CID.createV1(code, Digest.create(0x12, sha256(bytes)))

/** Bytes without a pattern that could hide a wrong offset. */
function makeBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let state = 42
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    bytes[at] = state >>> 16
  }
  return bytes
}

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
    const code = async (url: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE' = 'GET') => {
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

describe('ranges', () => {
  const bytes = makeBytes(700_001)

  it('equals a slice of the file', async () => {
    const { app, addFolder } = createTestGateway()
    const roots = [
      await addFolder({ 'f.bin': bytes }, importProfiles.v0),
      await addFolder({ 'f.bin': bytes }, importProfiles.v1),
      await addFolder({ 'f.bin': bytes }, { ...importProfiles.v1, chunkSizeBytes: 1000, maxLinks: 7 }),
    ]
    const range = fc
      .tuple(fc.nat(bytes.length + 10), fc.nat(bytes.length + 10))
      .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...roots), range, async (root, { start, end }) => {
        const answer = await app.inject({ url: `/ipfs/${root}/f.bin`, headers: { range: `bytes=${start}-${end}` } })
        if (start >= bytes.length) {
          expect(answer.statusCode).toBe(416)
          expect(answer.headers['content-range']).toBe(`bytes */${bytes.length}`)
          return
        }
        expect(answer.statusCode).toBe(206)
        const last = Math.min(end, bytes.length - 1)
        expect(answer.headers['content-range']).toBe(`bytes ${start}-${last}/${bytes.length}`)
        expect(answer.rawPayload.equals(bytes.subarray(start, last + 1))).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('returns several parts as multipart, in the announced length', async () => {
    const { app, addFile } = createTestGateway()
    const cid = await addFile(bytes)
    const header = 'bytes=300000-300099,0-4,-7'
    const answer = await app.inject({ url: `/ipfs/${cid}`, headers: { range: header } })
    expect(answer.statusCode).toBe(206)
    expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length)
    const boundary = /boundary=(\w+)/.exec(String(answer.headers['content-type']))?.[1] ?? ''
    const parts = answer.rawPayload.toString('latin1').split(`--${boundary}`).slice(1, -1)
    const bodies = parts.map((part) => Buffer.from(part.slice(part.indexOf('\r\n\r\n') + 4, -2), 'latin1'))
    const expected = [bytes.subarray(300_000, 300_100), bytes.subarray(0, 5), bytes.subarray(-7)]
    expect(bodies.map((body) => body.toString('hex'))).toEqual(expected.map((b) => Buffer.from(b).toString('hex')))
    expect(parts[2]).toContain(`Content-Range: bytes 699994-700000/700001`)
  })

  it.each([
    ['bytes=0-0,1-1', 206, 2],
    ['bytes=0-9,5-19,3-4', 206, 20],
    ['bytes=10-19,0-30', 206, 31],
    ['bytes=-0', 416, undefined],
    ['bytes=99999999999999999999-', 416, undefined],
    ['bytes=5-2', 200, 100],
    ['bytes=a-b', 200, 100],
    ['bytes=-', 200, 100],
    ['bytes=', 200, 100],
    ['lines=0-1', 200, 100],
    ['bytes=0-99999999999999999999999', 206, 100],
    ['bytes=-99999999999999999999999', 206, 100],
    [`bytes=${Array.from({ length: 17 }, (_, at) => `${at * 3}-${at * 3}`).join(',')}`, 200, 100],
    [`bytes=${Array.from({ length: 1000 }, () => '0-99').join(',')}`, 200, 100],
  ])('answers %.40s', async (range, status, length) => {
    const { app, addFile } = createTestGateway()
    const cid = await addFile(makeBytes(100))
    const answer = await app.inject({ url: `/ipfs/${cid}`, headers: { range } })
    expect(answer.statusCode).toBe(status)
    if (length !== undefined) expect(answer.rawPayload).toHaveLength(length)
  })

  it('returns all of an empty file', async () => {
    const { app, addFile } = createTestGateway()
    const cid = await addFile('')
    expect((await app.inject({ url: `/ipfs/${cid}`, headers: { range: 'bytes=-5' } })).statusCode).toBe(200)
    expect((await app.inject({ url: `/ipfs/${cid}`, headers: { range: 'bytes=0-' } })).statusCode).toBe(200)
  })

  it('needs no block outside the range', async () => {
    const { app, addFolder, blocks } = createTestGateway()
    const profile = { ...importProfiles.v1, chunkSizeBytes: 1000 }
    const root = await addFolder({ 'f.bin': bytes }, profile)
    const kept = Buffer.from(sha256(bytes.subarray(5000, 6000))).toString('hex')
    for (const [key, block] of blocks) if (block.length === 1000 && !key.endsWith(kept)) blocks.delete(key)
    const answer = await app.inject({ url: `/ipfs/${root}/f.bin`, headers: { range: 'bytes=5000-5999' } })
    expect(answer.rawPayload.equals(bytes.subarray(5000, 6000))).toBe(true)
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

describe('verifiable forms', () => {
  it('returns a raw block that hashes to its CID, whole or in part', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({ 'dir/a.txt': 'a' })
    for (const request of [
      { url: `/ipfs/${root}?format=raw` },
      { url: `/ipfs/${root}`, headers: { accept: 'application/vnd.ipld.raw' } },
      { url: `/ipfs/${root}?format=raw`, headers: { accept: 'application/vnd.ipld.car' } },
    ]) {
      const answer = await app.inject(request)
      expect(answer.headers).toMatchObject({
        'content-type': 'application/vnd.ipld.raw',
        'content-disposition': `attachment; filename="${root}.bin"`,
        etag: `"${root}.raw"`,
      })
      expect(Buffer.from(sha256(answer.rawPayload)).equals(root.multihash.digest)).toBe(true)
      const part = await app.inject({ ...request, headers: { ...request.headers, range: 'bytes=2-5' } })
      expect(part.rawPayload.equals(answer.rawPayload.subarray(2, 6))).toBe(true)
    }
    expect((await app.inject('/ipfs/bafkqaaa?format=raw')).statusCode).toBe(200)
    expect((await app.inject('/ipfs/bafkqaaa?format=raw')).rawPayload).toHaveLength(0)
  })

  const readCar = async (bytes: Uint8Array) => {
    const cids: string[] = []
    for await (const { cid, bytes: block } of await CarBlockIterator.fromBytes(bytes)) {
      expect(Buffer.from(sha256(block)).equals(cid.multihash.digest)).toBe(true)
      cids.push(cid.toString())
    }
    return cids
  }

  it('returns a CAR with the path and the content of each scope', async () => {
    const { app, addFolder, addFile } = createTestGateway()
    const profile = { ...importProfiles.v1, chunkSizeBytes: 100 }
    const root = await addFolder({ 'dir/one.bin': makeBytes(250), 'dir/two.bin': makeBytes(250) }, profile)
    const file = await addFile(makeBytes(250), profile)
    const dir = String((await app.inject(`/ipfs/${root}/dir/?format=raw`)).headers['x-ipfs-roots']).split(',')[1]
    const leaves = [0, 100, 200].map((at) => cidOf(0x55, makeBytes(250).subarray(at, at + 100)).toString())
    const get = async (query: string, accept?: string) => {
      const answer = await app.inject({ url: `/ipfs/${root}/dir${query}`, headers: accept ? { accept } : {} })
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['accept-ranges']).toBe('none')
      return { cids: await readCar(answer.rawPayload), type: answer.headers['content-type'] }
    }
    const car = 'application/vnd.ipld.car'
    expect(await get('?format=car')).toEqual({
      cids: [root.toString(), dir, file.toString(), ...leaves],
      type: `${car}; version=1; order=dfs; dups=n`,
    })
    expect(await get('', `${car}; version=1; order=dfs; dups=y`)).toEqual({
      cids: [root.toString(), dir, file.toString(), ...leaves, file.toString(), ...leaves],
      type: `${car}; version=1; order=dfs; dups=y`,
    })
    expect((await get('?format=car&dag-scope=block')).cids).toEqual([root.toString(), dir])
    expect((await get('?format=car&dag-scope=entity')).cids).toEqual([root.toString(), dir])
    expect((await get('/one.bin?format=car&entity-bytes=120:-100')).cids).toEqual([
      root.toString(),
      dir,
      file.toString(),
      leaves[1],
    ])
    for (const bad of ['dag-scope=some', 'entity-bytes=5', 'entity-bytes=9:2', 'entity-bytes=a:b']) {
      expect((await app.inject(`/ipfs/${root}?format=car&${bad}`)).statusCode, bad).toBe(400)
    }
    for (const bad of ['version=2', 'dups=maybe', 'order=random']) {
      const answer = await app.inject({ url: `/ipfs/${root}`, headers: { accept: `${car}; ${bad}` } })
      expect(answer.statusCode, bad).toBe(400)
    }
  })

  it('returns the address of a format chosen by Accept', async () => {
    const { app, addFile } = createTestGateway()
    const cid = await addFile('x')
    const get = async (query: string, accept: string) =>
      (await app.inject({ url: `/ipfs/${cid}${query}`, headers: { accept } })).headers['content-location']
    expect(await get('', 'application/vnd.ipld.raw')).toBe(`/ipfs/${cid}?format=raw`)
    expect(await get('?filename=a%20b', 'application/vnd.ipld.car; order=dfs; dups=y')).toBe(
      `/ipfs/${cid}?car-dups=y&car-order=dfs&filename=a+b&format=car`,
    )
    expect(await get('?format=raw', 'application/vnd.ipld.car')).toBeUndefined()
    expect(await get('', 'text/html,*/*')).toBeUndefined()
  })

  it('shows documents unchanged and converts nothing', async () => {
    const { app, put, addFile } = createTestGateway()
    const leaf = await addFile('leaf')
    const json = dagJson.encode({ foo: { link: leaf }, bar: 'text' })
    const cbor = dagCbor.encode({ foo: { link: leaf }, bar: 'text', list: [1, leaf] })
    const jsonCid = cidOf(dagJson.code, json)
    const cborCid = cidOf(dagCbor.code, cbor)
    put(jsonCid, json)
    put(cborCid, cbor)
    const get = (url: string, accept?: string) => app.inject({ url, headers: accept ? { accept } : {} })
    for (const [cid, bytes, name, kind] of [
      [jsonCid, json, 'json', 'inline'],
      [cborCid, cbor, 'cbor', 'attachment'],
    ] as const) {
      const plain = await get(`/ipfs/${cid}`)
      expect(plain.rawPayload.equals(bytes)).toBe(true)
      expect(plain.headers).toMatchObject({
        'content-type': `application/vnd.ipld.dag-${name}`,
        'content-disposition': `${kind}; filename="${cid}.${name}"`,
        etag: `"${cid}.dag-${name}"`,
      })
      expect((await get(`/ipfs/${cid}?format=${name}`)).headers['content-type']).toBe(`application/${name}`)
      const page = await get(`/ipfs/${cid}`, 'text/html')
      expect(page.headers['etag']).toContain('DagIndex-')
      expect(page.body).toContain('</html>')
      expect((await get(`/ipfs/${cid}/foo/link`)).body).toBe('leaf')
      expect((await get(`/ipfs/${cid}/foo/link?format=car`)).statusCode).toBe(200)
      expect((await get(`/ipfs/${cid}/foo`)).statusCode).toBe(501)
      expect((await get(`/ipfs/${cid}/nope`)).statusCode).toBe(404)
    }
    expect((await get(`/ipfs/${cborCid}/list/1`)).body).toBe('leaf')
    expect((await get(`/ipfs/${jsonCid}?format=dag-cbor`)).statusCode).toBe(406)
    expect((await get(`/ipfs/${cborCid}?format=json`)).statusCode).toBe(406)
    expect((await get(`/ipfs/${leaf}?format=dag-json`)).statusCode).toBe(406)
    expect((await get(`/ipfs/${leaf}?format=json`)).body).toBe('leaf')
    expect((await get(`/ipfs/${leaf}?format=ipns-record`)).statusCode).toBe(400)
  })

  it('packs names with a backslash, which is an ordinary character, unless they would leave the folder', async () => {
    const { app, addFolder } = createTestGateway()
    const root = await addFolder({ 'a/back\\slash': 'one', 'z.txt': 'two' })
    const answer = await app.inject(`/ipfs/${root}?format=tar`)
    expect(answer.statusCode).toBe(200)
    const { execFileSync } = await import('node:child_process')
    const names = execFileSync('tar', ['-tf', '-', '--quoting-style=literal'], { input: answer.rawPayload }).toString()
    expect(names.trim().split('\n').sort()).toEqual(
      [`${root}`, `${root}/a`, `${root}/a/back\\slash`, `${root}/z.txt`].sort(),
    )
    const bad = await addFolder({ '..\\x': 'one' })
    expect((await app.inject(`/ipfs/${bad}?format=tar`)).headers['x-cairn-code']).toBe('INVALID_PATH')
  })

  it('packs many small files and a large one into a tar, in pieces that are worth a write', async () => {
    const { blocks, addFolder } = createTestGateway()
    const names = Array.from({ length: 500 }, (_, at) => `small ${at}.txt`)
    const large = makeBytes(300_000)
    const cid = await addFolder({ ...Object.fromEntries(names.map((name) => [name, `of ${name}`])), large })
    const source = { get: async (wanted: CID) => blocks.get(blockKey(wanted)) ?? new Uint8Array() }
    const entity = { cid, node: decodeNode(cid, await source.get(cid)) }
    const pieces: Uint8Array[] = []
    for await (const piece of writeTar(source, entity, 'root', new AbortController().signal)) pieces.push(piece)
    // A header, content and padding per small file were three pieces each.
    expect(pieces.length).toBeLessThan(30)
    const tar = Buffer.concat(pieces)
    const { execFileSync } = await import('node:child_process')
    const list = execFileSync('tar', ['-tf', '-'], { input: tar }).toString().trim().split('\n')
    const wanted = ['', ...names.map((name) => `/${name}`), '/large'].map((path) => `root${path}`)
    expect(list.map((path) => path.replace(/\/$/, '')).sort()).toEqual(wanted.sort())
    expect(execFileSync('tar', ['-xOf', '-', 'root/large'], { input: tar }).equals(large)).toBe(true)
    expect(execFileSync('tar', ['-xOf', '-', 'root/small 77.txt'], { input: tar }).toString()).toBe('of small 77.txt')
  })

  it('packs files and folders into a tar', async () => {
    const { app, addFolder } = createTestGateway()
    const long = 'ż'.repeat(90)
    const root = await addFolder({ 'a/b.txt': 'bee', [`${long}.bin`]: makeBytes(700), link: { target: 'a/b.txt' } })
    const answer = await app.inject(`/ipfs/${root}?format=tar`)
    expect(answer.headers).toMatchObject({ 'content-type': 'application/x-tar', etag: `W/"${root}.x-tar"` })
    expect(answer.rawPayload.length % 512).toBe(0)
    const { execFileSync } = await import('node:child_process')
    const list = execFileSync('tar', ['-tf', '-', '--quoting-style=literal'], {
      input: answer.rawPayload,
      env: { LC_ALL: 'C.UTF-8', PATH: process.env['PATH'] },
    })
    expect(list.toString().trim().split('\n').sort()).toEqual(
      [`${root}`, `${root}/a`, `${root}/a/b.txt`, `${root}/link`, `${root}/${long}.bin`].sort(),
    )
    const content = execFileSync('tar', ['-xOf', '-', `${root}/a/b.txt`], { input: answer.rawPayload })
    expect(content.toString()).toBe('bee')
  })
})

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
    const answer = await app.inject(`/ipfs/?uri=${encodeURIComponent('ipfs://bafkqaaa/wiki/Diego Maradona.html')}`)
    expect(answer.headers.location).toBe('/ipfs/bafkqaaa/wiki/Diego%20Maradona.html')
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
    const get = (path: string) => app.inject({ url: path, headers: { host: `${root}.ipfs.dweb.test` } })
    expect((await get('/one')).headers.location).toBe('/one.html')
    expect((await get('/two')).statusCode).toBe(302)
    expect((await get('/two.html')).body).toBe('2')
    expect((await get('/p/2022/hi%20there')).headers.location).toBe('/a/2022/hi%20there')
    expect((await get('/s/x/y')).headers.location).toBe('/t/x/y')
    expect((await get('/gone/a')).statusCode).toBe(410)
    expect((await get('/gone/a')).body).toBe('gone')
    expect((await get('/anything')).body).toBe('home')
    const bad = await addFolder({ _redirects: '/a /b 301!' })
    const broken = await app.inject({ url: '/x', headers: { host: `${bad}.ipfs.dweb.test` } })
    expect(broken.statusCode).toBe(500)
    expect(broken.body).toContain(
      'could not parse _redirects: line 1: forced redirects (or "shadowing") are not supported',
    )
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
