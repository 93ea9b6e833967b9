import { importProfiles } from '@cairn/unixfs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTestGateway, makeBytes, sha256 } from '../test-gateway.fixture.ts'

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
