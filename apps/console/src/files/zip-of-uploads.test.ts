import { expect, test } from 'vitest'
import type { ListedFile } from './listed-file.ts'
import { zipOfUploads } from './zip-of-uploads.ts'

const upload = (fileName: string, more: Partial<ListedFile> = {}): ListedFile => ({
  id: fileName,
  cid: `bafk${fileName}`,
  fileName,
  fileSizeInBytes: '3',
  mimeType: 'text/plain',
  createdAt: 7,
  encryption: false,
  ...more,
})

test('numbers uploads with equal names, so that the ZIP contains each', () => {
  const { name, items, totalBytes, fileCount } = zipOfUploads([upload('a.txt'), upload('a.txt'), upload('')])
  expect(items.map(({ path }) => path)).toEqual(['a.txt', 'a (2).txt', 'bafk'])
  expect([name, totalBytes, fileCount]).toEqual(['Cairn files.zip', 9, 3])
})

test('the size of a ZIP is that of its contents, with encrypted uploads counted decrypted', () => {
  const sizes = { fileSizeInBytes: '1044', encryption: true }
  expect(zipOfUploads([upload('a.txt', sizes), upload('b.txt')]).totalBytes).toBe(1003)
})

test('a single upload names its ZIP, and a stored folder is not counted as one file', () => {
  const { name, fileCount } = zipOfUploads([upload('things', { cid: 'bafybox', mimeType: null })])
  expect([name, fileCount]).toEqual(['things.zip', undefined])
})
