// Pictures at the gateway: sizes, formats, headers. Real files, a real library in its own process.
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import {
  inspectPicture,
  makeAnimation,
  makeCameraPicture,
  makeNoise,
  makePicture,
  openPictureGateway,
} from './picture-gateway.fixture.ts'
import { readVersion } from './read-version.ts'

const size = ({ width, height }: { width: number; height: number }) => [width, height]

describe('parameters', () => {
  test('h and w shrink a picture like the Lighthouse gateway', async () => {
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

  test('keep the format of each kind of file', async () => {
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
    ['w=0', /^w must be a number from 1 to 4096, not/],
    ['w=-1', /^w must/],
    ['h=10px', /^h must/],
    ['w=3000&img-dpr=2', /^w times img-dpr/],
    ['w=10&img-width=20', /more than once/],
  ])('reject %s', async (query, message) => {
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

  test('an animation within the limits stays animated, and is its first frame otherwise', async () => {
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
      // Enlarged, its frames together would exceed the limit.
      [gif, 'w=96&img-fit=contain', '*/*', 'image/gif', 1],
      [gif, 'w=96&h=1&img-fit=cover', '*/*', 'image/gif', 1],
      [gif, 'w=96&h=96&img-fit=pad', '*/*', 'image/gif', 1],
      [gif, 'w=96&h=96&img-fit=crop', '*/*', 'image/gif', 4],
    ] as const) {
      const found = await inspectPicture(gateway, cid, query, { accept })
      expect([query, found.contentType, found.pages ?? 1]).toEqual([query, type, pages])
      const { searchParams } = new URL(`?${query}`, 'http://a')
      expect(found.width).toBe(searchParams.get('img-fit') === 'crop' ? 64 : Number(searchParams.get('w')))
    }
  })
})

describe('responses', () => {
  test('apply the orientation, and remove the location and all other metadata', async () => {
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

  test('have headers, HEAD, ranges and tags like a file', async () => {
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
    expect(headers['vary']).toBe('Accept')
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
    // Other spellings of the same options have the same tag, and none has the tag of the file.
    expect((await gateway.get(`/ipfs/${cid}?img-width=50&img-dpr=2&img-fit=scale-down`)).headers['etag']).toBe(
      headers['etag'],
    )
    expect((await gateway.get(`/ipfs/${cid}`)).headers['etag']).toBe(`"${cid}"`)
  })

  test('send a large result completely, in pieces', async () => {
    await using gateway = await openPictureGateway()
    const cid = await gateway.addFile(await makeNoise(300, 300))
    const found = await inspectPicture(gateway, cid, 'img-format=png')
    expect(found.bytes.length).toBeGreaterThan(3 * 65_536)
    expect(size(found)).toEqual([300, 300])
  })

  test('include pictures in folders and under other names', async () => {
    await using gateway = await openPictureGateway()
    const root = await gateway.addFolder({ 'a/b.png': await makePicture('png'), link: { target: 'a/b.png' } })
    const answer = await gateway.get(`/ipfs/${root}/a/b.png?w=10`)
    expect((await sharp(answer.rawPayload).metadata()).width).toBe(10)
    expect((await gateway.get(`/ipfs/${root}/link?w=10`)).body).toBe('a/b.png')
  })
})

describe('a gateway without pictures', () => {
  test('says so, with the command that adds them, and serves the file itself', async () => {
    const elsewhere = pathToFileURL('/no/such/folder/program.ts').href
    await using gateway = await openPictureGateway({ findVersion: () => readVersion(elsewhere) })
    const bytes = await makePicture('png', { width: 4, height: 4 })
    const cid = await gateway.addFile(bytes)
    const answer = await gateway.get(`/ipfs/${cid}?w=2`)
    expect([answer.statusCode, answer.headers['x-cairn-code']]).toEqual([501, 'PICTURES_UNAVAILABLE'])
    expect(answer.body).toContain('does not resize pictures')
    expect((await gateway.get(`/ipfs/${cid}`)).rawPayload).toEqual(bytes)
  })

  test('is configured by 0 processes', async () => {
    await using gateway = await openPictureGateway({ processes: 0 })
    const cid = await gateway.addFile(await makePicture('png', { width: 4, height: 4 }))
    expect((await gateway.get(`/ipfs/${cid}?w=2`)).statusCode).toBe(501)
  })
})
