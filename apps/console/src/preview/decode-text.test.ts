import { expect, test } from 'vitest'
import { decodeText } from './decode-text.ts'

test('text is text, and what is not UTF-8 or has a zero byte is not', () => {
  expect(decodeText(new TextEncoder().encode('grüße'), false)).toBe('grüße')
  expect(decodeText(new Uint8Array([0xff, 0xfe]), false)).toBeUndefined()
  expect(decodeText(new Uint8Array([65, 0, 66]), false)).toBeUndefined()
})

test('a character that the cut went through is left away', () => {
  const bytes = new TextEncoder().encode('aü')
  expect(decodeText(bytes.subarray(0, 2), true)).toBe('a')
  expect(decodeText(bytes.subarray(0, 2), false)).toBeUndefined()
})
