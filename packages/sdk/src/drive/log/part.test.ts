import { generateKey } from '@cairn/crypto'
import { beforeAll, expect, test } from 'vitest'
import { codeOf } from '../../../../../tests/code-of.ts'
import { createTip, derivePartKey, firstTip, openPart, type PartHeader, readHeader, sealPart } from './part.ts'
import type { PartContent } from './registers.ts'

const keyCid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const header: PartHeader = { first: 7, last: 2 ** 40 + 9, before: firstTip, after: createTip(), keyCid }
const content: PartContent = {
  changes: [{ at: '0mabcdefg0000-deviceA1', set: [['d-aaaaaaaaaaaaaaaaaaaaaa', 'name', 'täglich ☂']], clear: [] }],
  tips: [],
}
const masterKey = generateKey().masterKey
let key: CryptoKey
beforeAll(async () => {
  key = await derivePartKey(masterKey)
})
test('a part opens only with its key, and its header is readable without it', async () => {
  const part = await sealPart(key, header, content)
  expect(readHeader(part)).toEqual(header)
  expect(await openPart(await derivePartKey(masterKey), part)).toEqual(content)
  expect(await codeOf(openPart(await derivePartKey(generateKey().masterKey), part))).toBe('DECRYPTION_FAILED')
  expect(Buffer.from(part).includes('glich')).toBe(false)
  expect(Buffer.from(await sealPart(key, header, content)).equals(Buffer.from(part))).toBe(false)
})

test('detects a changed byte, wherever it is', async () => {
  const part = await sealPart(key, header, content)
  for (let at = 0; at < part.length; at++) {
    const changed = Uint8Array.from(part)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(await codeOf(Promise.resolve().then(() => openPart(key, changed))), `byte ${at}`).toMatch(
      /^(DECRYPTION_FAILED|UNEXPECTED_RESPONSE)$/,
    )
  }
  for (const length of [0, 3, 40, 70, part.length - 1]) {
    expect(
      await codeOf(Promise.resolve().then(() => openPart(key, part.subarray(0, length)))),
      `${length} bytes`,
    ).toMatch(/^(DECRYPTION_FAILED|UNEXPECTED_RESPONSE)$/)
  }
})
