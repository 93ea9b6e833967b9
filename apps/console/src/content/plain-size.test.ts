import { expect, test } from 'vitest'
import { plainSizeText } from './plain-size.ts'

test('shows the content size of an encrypted file, and the stored size of a folder or public file', () => {
  expect(plainSizeText([{ sizeBytes: 55, isEncrypted: true }])).toBe('11\u00a0B')
  expect(plainSizeText([{ sizeBytes: 55, isEncrypted: false }])).toBe('55\u00a0B')
  expect(plainSizeText([{ sizeBytes: 5500, isEncrypted: true, isFolder: true }])).toBe('5.4\u00a0KiB')
  // The list does not know the format, so 20 KiB of either one read the same.
  expect(plainSizeText([{ sizeBytes: 20_480 + 44, isEncrypted: true }])).toBe('20\u00a0KiB')
  expect(plainSizeText([{ sizeBytes: 20_480 + 164, isEncrypted: true }])).toBe('20\u00a0KiB')
})

test('adds up several uploads', () => {
  const uploads = [1, 2, 3].map(() => ({ fileSizeInBytes: String(1024 ** 2 + 44), encryption: true }))
  expect(plainSizeText(uploads)).toBe('3\u00a0MiB')
})
