import { expect, test } from 'vitest'
import { decodeText } from './decode-text.ts'

test('decodes UTF-8 text, and rejects other bytes and zero bytes', () => {
  expect(decodeText(new TextEncoder().encode('grüße'), false)).toBe('grüße')
  expect(decodeText(new Uint8Array([0xff, 0xfe]), false)).toBeUndefined()
  expect(decodeText(new Uint8Array([65, 0, 66]), false)).toBeUndefined()
})

test('drops a character that the cut splits', () => {
  const bytes = new TextEncoder().encode('aü')
  expect(decodeText(bytes.subarray(0, 2), true)).toBe('a')
  expect(decodeText(bytes.subarray(0, 2), false)).toBeUndefined()
})
