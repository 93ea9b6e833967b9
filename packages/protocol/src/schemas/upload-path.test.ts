import { expect, test } from 'vitest'
import { CairnError } from '../errors/error.ts'
import { maxNameBytes, maxPathBytes, maxPathDepth } from '../limits.ts'
import { splitUploadPath } from './upload-path.ts'

const refusal = (path: string): string | undefined => {
  try {
    splitUploadPath(path)
    return undefined
  } catch (error) {
    return CairnError.is(error, 'INVALID_PATH') ? error.message : 'another error'
  }
}

test('drops empty segments and single dots', () => {
  expect(splitUploadPath('/a//./b.txt')).toEqual(['a', 'b.txt'])
  expect(splitUploadPath('')).toEqual([])
})

test.each(['a', 'é', '€', '😀'])('counts the bytes of names of %s, not their characters', (letter) => {
  const bytesOfLetter = Buffer.byteLength(letter)
  const fitting = Math.floor(maxNameBytes / bytesOfLetter)
  const rest = 'x'.repeat(maxNameBytes - fitting * bytesOfLetter)
  expect(refusal(letter.repeat(fitting) + rest)).toBeUndefined()
  expect(refusal(`${letter.repeat(fitting)}${rest}x`)).toBe(`A file name is longer than ${maxNameBytes} bytes`)
})

test('counts the bytes of paths', () => {
  const name = '€'.repeat(80)
  const count = Math.floor(maxPathBytes / (Buffer.byteLength(name) + 1))
  const path = Array.from({ length: count }, () => name).join('/')
  expect(refusal(path)).toBeUndefined()
  expect(refusal(`${path}/${name}/x`)).toBe(`A path is longer than ${maxPathBytes} bytes`)
})

test('refuses parents, deep folders, control characters and halves of characters', () => {
  expect(refusal('a/../b')).toBe('A path must not contain ".."')
  expect(refusal('a/'.repeat(maxPathDepth))).toBeUndefined()
  expect(refusal('a/'.repeat(maxPathDepth + 1))).toBe(`A path has more than ${maxPathDepth} folders`)
  expect(refusal('a\nb')).toBe('A file name contains control characters')
  expect(refusal('a\uD800')).toBe('A file name is not well-formed Unicode')
})
