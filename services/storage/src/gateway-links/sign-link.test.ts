import { randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import { signLink, verifyLink } from './sign-link.ts'

const cid = CID.parse('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')
const secret = randomBytes(32)
const name = fc.string({ minLength: 1, maxLength: 12 })

test('a link opens its path and everything below, and no other', () => {
  fc.assert(
    fc.property(fc.array(name, { maxLength: 4 }), fc.array(name, { maxLength: 4 }), (segments, other) => {
      const link = { uploadId: randomUUID(), cid, segments, expiresAtSeconds: 2_000_000_000 }
      const signature = signLink(secret, link)
      const open = (path: readonly string[]) => verifyLink([secret], signature, { ...link, segments: path })
      expect(open([...segments, ...other])).toEqual(link)
      const isBelow = segments.every((one, at) => other[at] === one)
      expect(open(other) !== undefined).toBe(isBelow)
      // The parts of a path differ from its joined names.
      if (segments.length > 1) expect(open([segments.join('/')])).toBeUndefined()
    }),
  )
  const link = { uploadId: randomUUID(), cid, segments: ['a', 'b/c'], expiresAtSeconds: 2_000_000_000 }
  expect(verifyLink([secret], signLink(secret, link), { ...link, segments: ['a/b', 'c'] })).toBeUndefined()
})

test('a link signed by the secret that is being replaced stays valid while both are known', () => {
  const link = { uploadId: randomUUID(), cid, segments: ['a'], expiresAtSeconds: 2_000_000_000 }
  const earlier = randomBytes(32)
  const signature = signLink(earlier, link)
  expect(verifyLink([secret, earlier], signature, link)).toEqual(link)
  expect(verifyLink([secret], signature, link)).toBeUndefined()
})

test('other text is not a signature, and another codec of the same bytes is another CID', () => {
  const link = { uploadId: randomUUID(), cid, segments: [], expiresAtSeconds: 2_000_000_000 }
  const signature = signLink(secret, link)
  for (const text of ['', '.', 'é', signature.slice(1), `${signature} `, signature.repeat(2)])
    expect(verifyLink([secret], text, link)).toBeUndefined()
  expect(verifyLink([secret], signature, { ...link, cid: CID.createV1(0x70, cid.multihash) })).toBeUndefined()
  // Version 0 and version 1 name the same content.
  const old = CID.parse('QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n')
  const ofOld = signLink(secret, { ...link, cid: old })
  expect(verifyLink([secret], ofOld, { ...link, cid: old.toV1() })).toMatchObject({ uploadId: link.uploadId })
})
