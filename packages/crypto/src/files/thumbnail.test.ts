import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { generateKey } from '../shards/split.ts'
import { openThumbnail, sealThumbnail } from './thumbnail.ts'

const { masterKey } = generateKey()
const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

test('a thumbnail opens only with the key and the CID of its file', async () => {
  const image = new Uint8Array(randomBytes(500))
  const sealed = await sealThumbnail(image, cid, masterKey)
  expect(sealed.length).toBe(image.length + 29)
  expect(await openThumbnail(sealed, cid, masterKey)).toEqual(image)
  expect(await sealThumbnail(image, cid, masterKey)).not.toEqual(sealed)
  const failed = { code: 'DECRYPTION_FAILED' }
  await expect(openThumbnail(sealed, cid, generateKey().masterKey)).rejects.toMatchObject(failed)
  await expect(openThumbnail(sealed, `${cid}a`, masterKey)).rejects.toMatchObject(failed)
  for (const at of [1, 13, sealed.length - 1]) {
    const changed = sealed.with(at, (sealed[at] ?? 0) ^ 1)
    await expect(openThumbnail(changed, cid, masterKey), String(at)).rejects.toMatchObject(failed)
  }
  await expect(openThumbnail(sealed.with(0, 2), cid, masterKey)).rejects.toMatchObject({ code: 'NOT_ENCRYPTED' })
  await expect(openThumbnail(sealed.subarray(0, 20), cid, masterKey)).rejects.toMatchObject({ code: 'NOT_ENCRYPTED' })
})
