import { expect, test } from 'vitest'
import { decodeText } from './decode-text.ts'

const ofText = (text: string) => ({ text, isGuessed: false })

test('decodes UTF-8 text, with and without a byte order mark', () => {
  expect(decodeText(new TextEncoder().encode('grüße'), false)).toEqual(ofText('grüße'))
  expect(decodeText(new TextEncoder().encode('\uFEFFgrüße'), false)).toEqual(ofText('grüße'))
  expect(decodeText(new Uint8Array(), false)).toEqual(ofText(''))
})

test('drops a character that the cut splits', () => {
  const bytes = new TextEncoder().encode('aü')
  expect(decodeText(bytes.subarray(0, 2), true)).toEqual(ofText('a'))
})

test('decodes UTF-16 of both byte orders by its mark', () => {
  const little = Buffer.from('\uFEFFgrüße 🪨', 'utf16le')
  expect(decodeText(little, false)).toEqual(ofText('grüße 🪨'))
  expect(decodeText(Buffer.from(little).swap16(), false)).toEqual(ofText('grüße 🪨'))
  // Half of the last character.
  expect(decodeText(little.subarray(0, -2), true)).toEqual(ofText('grüße '))
  expect(decodeText(little.subarray(0, -1), false)).toBeUndefined()
})

test('reads other text as that of older Western European programs, and says so', () => {
  const bytes = Buffer.from('Straße;5,00 \x80\r\n\t\x93Zitat\x94', 'latin1')
  expect(decodeText(bytes, false)).toEqual({ text: 'Straße;5,00 €\r\n\t“Zitat”', isGuessed: true })
})

test.each([
  ['a zero byte', [65, 0, 66]],
  ['UTF-16 without a mark', [65, 0, 66, 0]],
  ['control characters', [0xe4, 0x01]],
  ['bytes that the encoding leaves undefined', [0xe4, 0x81]],
  ['a picture', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]],
])('rejects %s', (_what, bytes) => {
  expect(decodeText(new Uint8Array(bytes), false)).toBeUndefined()
})
