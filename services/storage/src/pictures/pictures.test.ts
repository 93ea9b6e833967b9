// Pictures at the gateway: real files, a real library in its own process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'
import * as dagPb from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { blockKey } from '../gateway/test-gateway.ts'
import { createRuleSet } from '../moderation/match-rules.ts'
import { parseDenylist } from '../moderation/parse-denylist.ts'
import {
  inspectPicture,
  makeAnimation,
  makeCameraPicture,
  makeNoise,
  makePicture,
  openPictureGateway,
} from './picture-gateway.fixture.ts'
import { readPictureOptions } from './picture-options.ts'
import { readVersion } from './read-version.ts'

const size = ({ width, height }: { width: number; height: number }) => [width, height]

describe('parameters', () => {
  test('h and w shrink a picture as the Lighthouse gateway does', async () => {
    await using gateway = await openPictureGateway()
    const bytes = await makePicture('jpeg')
    const cid = await gateway.addFile(bytes)
    for (const [query, expected] of [
      ['w=100', [100, 50]],
      ['h=50', [100, 50]],
      ['h=40&w=40', [40, 20]],
      ['h=&w=100', [100, 50]],
      ['w=4000', [400, 200]],
    ] as const) {
      const found = await inspectPicture(gateway, cid, query)
      expect([query, size(found), found.contentType]).toEqual([query, expected, 'image/jpeg'])
    }
    expect((await gateway.get(`/ipfs/${cid}?h=&w=`)).rawPayload).toEqual(bytes)
  })

  test('img-* set the box, how it is filled, and the side that a crop keeps', async () => {
    await using gateway = await openPictureGateway()
    const cid = await gateway.addFile(await makePicture('png'))
    for (const [query, expected] of [
      ['img-width=100', [100, 50]],
      ['img-width=100&img-dpr=2', [200, 100]],
      ['img-width=800', [400, 200]],
      ['img-width=50&img-height=50&img-fit=scale-down', [50, 25]],
      ['img-width=50&img-height=50&img-fit=scaleDown', [50, 25]],
      ['img-width=800&img-fit=contain', [800, 400]],
      ['img-width=50&img-height=50&img-fit=cover', [50, 50]],
      ['img-width=600&img-height=600&img-fit=cover', [600, 600]],
      ['img-width=100&img-height=600&img-fit=crop', [100, 200]],
      ['img-width=50&img-height=50&img-fit=pad', [50, 50]],
      ['img-quality=50', [400, 200]],
      ['img-metadata=none', [400, 200]],
      ['w=100&img-format=png', [100, 50]],
    ] as const) {
      expect([query, size(await inspectPicture(gateway, cid, query))]).toEqual([query, expected])
    }
    const colourOf = async (gravity: string) => {
      const { bytes } = await inspectPicture(
        gateway,
        cid,
        `img-width=20&img-height=100&img-fit=cover&img-gravity=${gravity}`,
      )
      const { dominant } = await sharp(bytes).stats()
      return dominant.r > dominant.b ? 'red' : 'blue'
    }
    expect([await colourOf('left'), await colourOf('right')]).toEqual(['red', 'blue'])
    expect(await colourOf('auto')).toMatch(/red|blue/)
    const { bytes } = await inspectPicture(gateway, cid, 'img-width=50&img-height=50&img-fit=pad')
    expect([...(await sharp(bytes).raw().toBuffer()).subarray(0, 3)]).toEqual([255, 255, 255])
  })

  test('a lower quality gives fewer bytes', async () => {
    await using gateway = await openPictureGateway()
    const cid = await gateway.addFile(await makePicture('png'))
    for (const format of ['jpeg', 'webp', 'avif']) {
      const low = await inspectPicture(gateway, cid, `img-format=${format}&img-quality=10`)
      const high = await inspectPicture(gateway, cid, `img-format=${format}&img-quality=95`)
      expect(low.bytes.length, format).toBeLessThan(high.bytes.length)
      expect(low.contentType).toBe(`image/${format}`)
    }
  })

  test('keeps the format of each kind of file', async () => {
    await using gateway = await openPictureGateway()
    for (const format of ['jpeg', 'png', 'webp', 'avif', 'gif'] as const) {
      const cid = await gateway.addFile(await makePicture(format))
      const found = await inspectPicture(gateway, cid, 'w=40')
      expect([found.contentType, size(found)]).toEqual([`image/${format}`, [40, 20]])
    }
  })

  test.each([
    ['img-format=bmp', /img-format "bmp" is not supported/],
    ['img-blur=5', /"img-blur" is not supported/],
    ['img-onerror=redirect', /"img-onerror" is not supported/],
    ['img-metadata=keep', /img-metadata "keep"/],
    ['img-gravity=0.5x0.5', /img-gravity "0.5x0.5"/],
    ['img-fit=squeeze', /img-fit "squeeze"/],
    ['img-anim=no', /img-anim "no"/],
    ['img-quality=0', /img-quality must be a number from 1 to 100/],
    ['img-quality=101', /img-quality/],
    ['img-width=0', /img-width must be a number from 1 to 4096/],
    ['img-width=4097', /img-width/],
    ['img-width=1e3', /img-width/],
    ['img-width=3000&img-dpr=2', /6000 pixels, the maximum is 4096/],
    ['img-dpr=9', /img-dpr/],
    ['w=-1', /img-width/],
    ['h=10px', /img-height/],
    ['w=10&img-width=20', /more than once/],
  ])('refuses %s', async (query, message) => {
    await using gateway = await openPictureGateway()
    const cid = await gateway.addFile(await makePicture('png', { width: 4, height: 4 }))
    const answer = await gateway.get(`/ipfs/${cid}?${query}`)
    expect([answer.statusCode, answer.headers['x-cairn-code']]).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.body).toMatch(message)
    expect(answer.headers['cache-control']).toBe('no-store')
  })
})

describe('formats by Accept', () => {
  const chrome = 'image/avif,image/webp,image/apng,*/*;q=0.8'
  test.each([
    ['jpeg', chrome, 'image/avif'],
    ['jpeg', 'image/webp,*/*', 'image/webp'],
    ['jpeg', 'image/avif;q=0,image/webp', 'image/webp'],
    ['jpeg', '*/*', 'image/jpeg'],
    ['png', 'image/*', 'image/png'],
    ['webp', '*/*', 'image/jpeg'],
    ['avif', 'image/png', 'image/jpeg'],
  ] as const)('auto sends %s to a client that accepts %s as %s', async (source, accept, expected) => {
    await using gateway = await openPictureGateway()
    const cid = await gateway.addFile(await makePicture(source))
    const answer = await gateway.get(`/ipfs/${cid}?img-format=auto&w=40`, { accept })
    expect(answer.headers).toMatchObject({ 'content-type': expected, vary: 'Accept' })
    expect((await sharp(answer.rawPayload).metadata()).width).toBe(40)
  })

  test('an animation stays one within the limits, and is its first frame otherwise', async () => {
    await using gateway = await openPictureGateway({ limits: { maxInputPixels: 64 * 64 * 6 } })
    const gif = await gateway.addFile(await makeAnimation('gif', 4))
    const webp = await gateway.addFile(await makeAnimation('webp', 3))
    const long = await gateway.addFile(await makeAnimation('gif', 9))
    for (const [cid, query, accept, type, pages] of [
      [gif, 'w=32', '*/*', 'image/gif', 4],
      [gif, 'w=32&img-format=auto', '*/*', 'image/gif', 4],
      [gif, 'w=32&img-format=auto', chrome, 'image/webp', 4],
      [gif, 'w=32&img-format=auto', 'image/avif', 'image/gif', 4],
      [gif, 'w=32&img-format=webp', '*/*', 'image/webp', 4],
      [gif, 'w=32&img-format=png', '*/*', 'image/png', 1],
      [gif, 'w=32&img-anim=false', '*/*', 'image/gif', 1],
      [gif, 'w=32&h=16&img-fit=cover&img-gravity=auto', '*/*', 'image/gif', 4],
      [webp, 'w=32', '*/*', 'image/webp', 3],
      [long, 'w=32', '*/*', 'image/gif', 1],
    ] as const) {
      const found = await inspectPicture(gateway, cid, query, { accept })
      expect([query, found.contentType, found.pages ?? 1]).toEqual([query, type, pages])
      expect(found.width).toBe(32)
    }
  })
})

describe('what is sent', () => {
  test('the orientation is applied, and the place and all other metadata are removed', async () => {
    await using gateway = await openPictureGateway()
    const bytes = await makeCameraPicture()
    const source = await sharp(bytes).metadata()
    expect([source.orientation, source.exif?.includes('Test camera')]).toEqual([6, true])
    const cid = await gateway.addFile(bytes)
    for (const query of ['img-format=jpeg', 'img-format=webp', 'w=50']) {
      const found = await inspectPicture(gateway, cid, query)
      expect(found.orientation).toBeUndefined()
      expect(found.exif).toBeUndefined()
      expect(found.xmp).toBeUndefined()
      expect(found.bytes.includes('Test camera')).toBe(false)
      expect(found.height).toBe(found.width * 2)
    }
  })

  test('headers, HEAD, ranges and tags as for a file', async () => {
    await using gateway = await openPictureGateway()
    const cid = await gateway.addFile(await makePicture('jpeg'))
    const url = `/ipfs/${cid}?w=100&filename=red.jpg`
    const whole = await gateway.get(url)
    const { headers, rawPayload } = whole
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=29030400, immutable',
      'content-type': 'image/jpeg',
      'content-length': String(rawPayload.length),
      'content-disposition': 'inline; filename="red.jpg"',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'x-ipfs-path': `/ipfs/${cid}`,
      etag: `"${cid}.w100-scale-down-source.${readVersion()}"`,
    })
    expect(headers['vary']).toBeUndefined()
    const head = await gateway.app.inject({ method: 'HEAD', url })
    expect([head.statusCode, head.headers['content-length'], head.rawPayload.length]).toEqual([
      200,
      headers['content-length'],
      0,
    ])
    const part = await gateway.get(url, { range: 'bytes=10-19', 'if-range': String(headers['etag']) })
    expect([part.statusCode, part.rawPayload]).toEqual([206, rawPayload.subarray(10, 20)])
    const known = await gateway.get(url, { 'if-none-match': String(headers['etag']) })
    expect([known.statusCode, known.headers['content-type']]).toEqual([304, undefined])
    // Other names of the same options have the same tag, and none has that of the file.
    expect((await gateway.get(`/ipfs/${cid}?img-width=50&img-dpr=2&img-fit=scale-down`)).headers['etag']).toBe(
      headers['etag'],
    )
    expect((await gateway.get(`/ipfs/${cid}`)).headers['etag']).toBe(`"${cid}"`)
  })

  test('a large result is sent in pieces, whole', async () => {
    await using gateway = await openPictureGateway()
    const cid = await gateway.addFile(await makeNoise(300, 300))
    const found = await inspectPicture(gateway, cid, 'img-format=png')
    expect(found.bytes.length).toBeGreaterThan(3 * 65_536)
    expect(size(found)).toEqual([300, 300])
  })

  test('pictures in folders and under other names', async () => {
    await using gateway = await openPictureGateway()
    const root = await gateway.addFolder({ 'a/b.png': await makePicture('png'), link: { target: 'a/b.png' } })
    const answer = await gateway.get(`/ipfs/${root}/a/b.png?w=10`)
    expect((await sharp(answer.rawPayload).metadata()).width).toBe(10)
    expect((await gateway.get(`/ipfs/${root}/link?w=10`)).body).toBe('a/b.png')
  })
})

describe('files that are no pictures', () => {
  test('are refused: drawings, text, other formats, ciphertext and truncated files', async () => {
    await using gateway = await openPictureGateway()
    const jpeg = await makePicture('jpeg')
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><image href="file:///etc/passwd"/></svg>'
    const files = {
      'drawing.svg': svg,
      'text.png': 'This is text.',
      'scan.tiff': await makePicture('tiff'),
      'cipher.bin': Buffer.from(crypto.getRandomValues(new Uint8Array(5000)).fill(0xfe, 0, 16)),
      'cut.jpg': jpeg.subarray(0, jpeg.length / 2),
      'cut.png': (await makePicture('png')).subarray(0, 3000),
      'header.gif': (await makePicture('gif')).subarray(0, 20),
    }
    const root = await gateway.addFolder(files)
    for (const name of Object.keys(files)) {
      for (const query of name.endsWith('.bin') ? ['w=10', 'img-width=10'] : ['img-width=10']) {
        const answer = await gateway.get(`/ipfs/${root}/${name}?${query}`)
        expect([name, answer.statusCode, answer.headers['x-cairn-code']]).toEqual([name, 415, 'NOT_A_PICTURE'])
      }
    }
    expect((await gateway.get(`/ipfs/${root}/drawing.svg?w=10`)).body).toContain('SVG drawings are not resized')
    // The process is still good.
    const cid = await gateway.addFile(jpeg)
    expect((await inspectPicture(gateway, cid, 'w=10')).width).toBe(10)
  })

  test('pages and other files keep their own h and w', async () => {
    await using gateway = await openPictureGateway()
    const page = '<!doctype html><title>x</title>'
    const root = await gateway.addFolder({ 'page.html': page, 'data.json': '{"a":1}' })
    expect((await gateway.get(`/ipfs/${root}/page.html?w=5&img-id=3`)).body).toBe(page)
    expect((await gateway.get(`/ipfs/${root}/data.json?w=5&h=x`)).body).toBe('{"a":1}')
  })
})

describe('limits', () => {
  test('a bomb of 30,000 by 30,000 pixels is refused before it is decoded', async () => {
    await using gateway = await openPictureGateway()
    const bomb = makeBomb(30_000)
    expect(bomb.length).toBeLessThan(200_000)
    const answer = await gateway.get(`/ipfs/${await gateway.addFile(bomb)}?w=10`)
    expect([answer.statusCode, answer.headers['x-cairn-code']]).toEqual([413, 'PICTURE_TOO_LARGE'])
    expect(answer.body).toContain('more than 50000000 pixels')
  })

  test('pixels of AVIF files, whose decoder uses more memory', async () => {
    await using gateway = await openPictureGateway({ limits: { maxAvifPixels: 400 * 200 - 1 } })
    const statusOf = async (format: 'avif' | 'webp') =>
      (await gateway.get(`/ipfs/${await gateway.addFile(await makePicture(format))}?w=10`)).statusCode
    expect([await statusOf('avif'), await statusOf('webp')]).toEqual([413, 200])
  })

  test('bytes of the file and of the result', async () => {
    await using gateway = await openPictureGateway({ limits: { maxInputBytes: 10_000, maxOutputBytes: 1000 } })
    const small = await makePicture('png', { width: 40, height: 20 })
    const large = await gateway.addFile(await makeNoise(100, 100))
    expect((await gateway.get(`/ipfs/${large}?w=10`)).body).toContain('the limit is 10000')
    const cid = await gateway.addFile(small)
    const answer = await gateway.get(`/ipfs/${cid}?img-fit=contain&w=400`)
    expect([answer.statusCode, answer.body]).toEqual([413, expect.stringContaining('larger than 1000 bytes')])
    expect((await inspectPicture(gateway, cid, 'w=4')).width).toBe(4)
  })

  test('a full queue answers 503 with Retry-After, and a client that leaves frees its place', async () => {
    await using gateway = await openPictureGateway({ limits: { maxWaiting: 2 } })
    const bytes = await makePicture('jpeg')
    const open = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const request = (cid: string, signal: AbortSignal, read: () => AsyncIterable<Uint8Array>) => ({
      cid,
      sizeBytes: bytes.length,
      options: readPictureOptions(new URLSearchParams('w=10'), undefined)!,
      read,
      address: '192.0.2.1',
      signal,
    })
    const never = new AbortController()
    const first = gateway.pictures.get(
      request('first', never.signal, async function* () {
        started.resolve()
        await open.promise
        yield bytes
      }),
    )
    await started.promise
    let wasRead = false
    const leaving = new AbortController()
    const second = gateway.pictures.get(
      request('second', leaving.signal, async function* () {
        wasRead = true
        yield bytes
      }),
    )
    const full = await gateway.get(`/ipfs/${await gateway.addFile(bytes)}?w=10`)
    expect([full.statusCode, full.headers['retry-after'], full.headers['x-cairn-code']]).toEqual([
      503,
      '2',
      'OVERLOADED',
    ])
    leaving.abort(new Error('left'))
    await expect(second).rejects.toThrow('left')
    open.resolve()
    expect((await first).contentType).toBe('image/jpeg')
    expect((await gateway.get(`/ipfs/${await gateway.addFile(bytes)}?w=10`)).statusCode).toBe(200)
    expect(wasRead).toBe(false)
  })

  test('the time limit ends the process', async () => {
    await using gateway = await openPictureGateway({ limits: { timeLimitMs: 50 } })
    const answer = gateway.pictures.get({
      cid: 'slow',
      sizeBytes: 1,
      options: readPictureOptions(new URLSearchParams('w=10'), undefined)!,
      async *read(signal) {
        yield new Uint8Array(1)
        await once(signal, 'abort')
        signal.throwIfAborted()
      },
      address: '192.0.2.1',
      signal: new AbortController().signal,
    })
    await expect(answer).rejects.toMatchObject({
      code: 'PICTURE_TOO_LARGE',
      message: expect.stringContaining('0.05 s'),
    })
    expect(await gateway.count()).toEqual({ error: 1 })
  })
})

test.runIf(process.platform === 'linux')(
  'a process that dies fails its picture, and the next gets another',
  async () => {
    await using gateway = await openPictureGateway()
    const bytes = await makePicture('jpeg')
    const options = readPictureOptions(new URLSearchParams('w=10'), undefined)!
    const ask = (cid: string, onRead: () => void) =>
      gateway.pictures.get({
        cid,
        sizeBytes: bytes.length,
        options,
        *read() {
          onRead()
          yield bytes
        },
        address: '192.0.2.1',
        signal: new AbortController().signal,
      })
    const children = () => readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').match(/\d+/g) ?? []
    const before = new Set(children())
    const dying = ask('dying', () => {
      for (const pid of children()) if (!before.has(pid)) process.kill(Number(pid), 'SIGKILL')
    })
    await expect(dying).rejects.toMatchObject({ code: 'INTERNAL' })
    expect((await ask('next', () => undefined)).contentType).toBe('image/jpeg')
  },
)

test('idle processes keep no program running, and closing waits until they are gone', async () => {
  const program = `
    import { readFileSync } from 'node:fs'
    import { createPictureProcesses } from '${new URL('./picture-processes.ts', import.meta.url)}'
    import { pictureLimits } from '${new URL('./pictures.ts', import.meta.url)}'
    const options = ${JSON.stringify(readPictureOptions(new URLSearchParams('w=10'), undefined))}
    const processes = createPictureProcesses({ max: 1, limits: pictureLimits, timeLimitMs: 60_000 })
    const read = () => [readFileSync(0)]
    const { kind } = await processes.render({ options, read }, new AbortController().signal)
    if (kind !== 'rendered') process.exit(1)
    if (process.argv.includes('close')) await processes.close()`
  const bytes = await makePicture('jpeg')
  for (const end of ['close', 'leave']) {
    const args = ['--conditions=@cairn/source', '--input-type=module', '-e', program, end]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] })
    child.stdin.end(bytes)
    expect([end, ...(await once(child, 'exit'))]).toEqual([end, 0, null])
  }
})

describe('the cache', () => {
  test('renders once, also after a restart, and again when the files are gone', async () => {
    await using gateway = await openPictureGateway()
    const bytes = await makePicture('jpeg')
    const cid = await gateway.addFile(bytes)
    const first = await gateway.get(`/ipfs/${cid}?w=100`)
    const second = await gateway.get(`/ipfs/${cid}?img-width=100`)
    expect(second.rawPayload).toEqual(first.rawPayload)
    expect(await gateway.count()).toEqual({ miss: 1, hit: 1 })
    await using later = await openPictureGateway({ home: gateway.home })
    await later.addFile(bytes)
    expect((await later.get(`/ipfs/${cid}?w=100`)).rawPayload).toEqual(first.rawPayload)
    expect(await later.count()).toEqual({ hit: 1 })
    await later.get(`/ipfs/${cid}?w=101`)
    expect(await later.count()).toEqual({ hit: 1, miss: 1 })
  })

  test('that cannot be used fails no picture', async () => {
    await using gateway = await openPictureGateway()
    await writeFile(join(gateway.home, 'cache'), 'a file in its place')
    const cid = await gateway.addFile(await makePicture('jpeg'))
    expect((await inspectPicture(gateway, cid, 'w=10')).width).toBe(10)
    expect((await inspectPicture(gateway, cid, 'w=10')).width).toBe(10)
    expect(await gateway.count()).toEqual({ miss: 2 })
    await rm(join(gateway.home, 'cache'))
    await inspectPicture(gateway, cid, 'w=10')
    await inspectPicture(gateway, cid, 'w=10')
    expect(await gateway.count()).toEqual({ miss: 3, hit: 1 })
  })

  test('renders equal concurrent requests once', async () => {
    await using gateway = await openPictureGateway({ cacheBytes: 0 })
    const cid = await gateway.addFile(await makePicture('jpeg'))
    const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.get(`/ipfs/${cid}?w=100`)))
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(await gateway.count()).toEqual({ miss: 1, joined: 7 })
  })

  test('a client that leaves does not end the picture of another', async () => {
    await using gateway = await openPictureGateway()
    const bytes = await makePicture('jpeg')
    const open = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const ask = (signal: AbortSignal) =>
      gateway.pictures.get({
        cid: 'shared',
        sizeBytes: bytes.length,
        options: readPictureOptions(new URLSearchParams('w=10'), undefined)!,
        async *read(own) {
          started.resolve()
          await open.promise
          own.throwIfAborted()
          yield bytes
        },
        address: '192.0.2.1',
        signal,
      })
    const leaving = new AbortController()
    const first = ask(leaving.signal)
    const second = ask(new AbortController().signal)
    await started.promise
    leaving.abort(new Error('left'))
    await expect(first).rejects.toThrow('left')
    open.resolve()
    expect((await second).contentType).toBe('image/jpeg')
    expect(await gateway.count()).toEqual({ joined: 1, miss: 1 })
  })

  test('denied content is not served from it, and neither is content that was removed', async () => {
    await using gateway = await openPictureGateway()
    const one = await gateway.addFile(await makePicture('png', { width: 20 }))
    const two = await gateway.addFile(await makePicture('png', { width: 30 }))
    const three = await gateway.addFile(await makeNoise(700, 600))
    const get = (cid: CID) => gateway.get(`/ipfs/${cid}?w=10`)
    for (const cid of [one, two, three]) expect((await get(cid)).statusCode).toBe(200)
    const leaf = dagPb.decode(gateway.blocks.get(blockKey(three))!).Links[0]!.Hash
    gateway.denylist.replace(createRuleSet(parseDenylist(`/ipfs/${one}\n/ipfs/${leaf}`).rules))
    expect([(await get(one)).statusCode, (await get(three)).statusCode]).toEqual([410, 410])
    expect((await get(two)).statusCode).toBe(200)
    gateway.blocks.clear()
    expect((await get(two)).statusCode).toBe(404)
  })
})

describe('a gateway without it', () => {
  test('says so, with the command that adds it, and serves the file itself', async () => {
    const elsewhere = pathToFileURL('/no/such/folder/program.ts').href
    await using gateway = await openPictureGateway({ findVersion: () => readVersion(elsewhere) })
    const bytes = await makePicture('png', { width: 4, height: 4 })
    const cid = await gateway.addFile(bytes)
    const answer = await gateway.get(`/ipfs/${cid}?w=2`)
    expect([answer.statusCode, answer.headers['x-cairn-code']]).toEqual([501, 'PICTURES_UNAVAILABLE'])
    expect(answer.body).toContain('does not resize pictures')
    expect((await gateway.get(`/ipfs/${cid}`)).rawPayload).toEqual(bytes)
  })

  test('0 processes turn it off', async () => {
    await using gateway = await openPictureGateway({ processes: 0 })
    const cid = await gateway.addFile(await makePicture('png', { width: 4, height: 4 }))
    expect((await gateway.get(`/ipfs/${cid}?w=2`)).statusCode).toBe(501)
  })
})

/** Makes a valid PNG of one bit per pixel, all zero. */
function makeBomb(side: number): Buffer {
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const frame = Buffer.alloc(8)
    frame.writeUInt32BE(data.length, 0)
    frame.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header[8] = 1
  const rows = Buffer.alloc(side * (1 + Math.ceil(side / 8)))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  ])
}
