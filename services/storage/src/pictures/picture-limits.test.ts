// What the gateway refuses to resize: files that are not pictures, too large ones, and too many at a time.
import { once } from 'node:events'
import { crc32, deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { inspectPicture, makeNoise, makePicture, openPictureGateway } from './picture-gateway.fixture.ts'
import { readPictureOptions } from './picture-options.ts'

describe('files that are not pictures', () => {
  test('are rejected: drawings, text, other formats, ciphertext and truncated files', async () => {
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
    // The process is still usable.
    const cid = await gateway.addFile(jpeg)
    expect((await inspectPicture(gateway, cid, 'w=10')).width).toBe(10)
  })

  test('keep their own h and w', async () => {
    await using gateway = await openPictureGateway()
    const page = '<!doctype html><title>x</title>'
    const root = await gateway.addFolder({ 'page.html': page, 'data.json': '{"a":1}' })
    expect((await gateway.get(`/ipfs/${root}/page.html?w=5&img-id=3`)).body).toBe(page)
    expect((await gateway.get(`/ipfs/${root}/data.json?w=5&h=x`)).body).toBe('{"a":1}')
  })
})

describe('limits', () => {
  test('reject a bomb of 30,000 by 30,000 pixels before it is decoded', async () => {
    await using gateway = await openPictureGateway()
    const bomb = makeBomb(30_000)
    expect(bomb.length).toBeLessThan(200_000)
    const answer = await gateway.get(`/ipfs/${await gateway.addFile(bomb)}?w=10`)
    expect([answer.statusCode, answer.headers['x-cairn-code']]).toEqual([413, 'PICTURE_TOO_LARGE'])
    expect(answer.body).toContain('more than 50000000 pixels')
  })

  test('apply to pixels of AVIF files, whose decoder uses more memory', async () => {
    await using gateway = await openPictureGateway({ limits: { maxAvifPixels: 400 * 200 - 1 } })
    const statusOf = async (format: 'avif' | 'webp') =>
      (await gateway.get(`/ipfs/${await gateway.addFile(await makePicture(format))}?w=10`)).statusCode
    expect([await statusOf('avif'), await statusOf('webp')]).toEqual([413, 200])
  })

  test('apply to bytes of the file and of the result', async () => {
    await using gateway = await openPictureGateway({ limits: { maxInputBytes: 10_000, maxOutputBytes: 1000 } })
    const small = await makePicture('png', { width: 40, height: 20 })
    const large = await gateway.addFile(await makeNoise(100, 100))
    expect((await gateway.get(`/ipfs/${large}?w=10`)).body).toContain('the limit is 10000')
    const cid = await gateway.addFile(small)
    const answer = await gateway.get(`/ipfs/${cid}?img-fit=contain&w=400`)
    expect([answer.statusCode, answer.body]).toEqual([413, expect.stringContaining('larger than 1000 bytes')])
    expect((await inspectPicture(gateway, cid, 'w=4')).width).toBe(4)
  })

  test('answer a full queue with 503 and Retry-After, and free the place of a client that disconnects', async () => {
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

  test('end the process at the time limit', async () => {
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
