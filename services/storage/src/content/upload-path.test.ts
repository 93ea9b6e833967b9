import { CairnError } from '@cairn/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readUploadPath } from './upload-path.ts'

const codeOf = (name: string, isEscaped = false): string => {
  try {
    return readUploadPath(name, isEscaped).join('|')
  } catch (error) {
    return CairnError.is(error) ? error.code : String(error)
  }
}

describe('names of uploads', () => {
  it('become the same path in any notation of a client', () => {
    for (const name of ['few/f1', './few/f1', '/few/f1', 'few//f1', 'few/./f1', '/./few///f1']) {
      expect(readUploadPath(name)).toEqual(['few', 'f1'])
    }
    expect(readUploadPath(undefined)).toEqual([])
    expect(readUploadPath('')).toEqual([])
    expect(readUploadPath('./')).toEqual([])
  })

  it('are kept unchanged, escapes too, unless a client of Kubo escaped them', () => {
    expect(codeOf('100%+a%20b.txt')).toBe('100%+a%20b.txt')
    expect(codeOf('few%2Ff+1%2B', true)).toBe('few|f 1+')
    expect(codeOf('100%', true)).toBe('100%')
    expect(codeOf('日本/🙂 …', false)).toBe('日本|🙂 …')
    expect(codeOf('a\\b:c*?"<>|')).toBe('a\\b:c*?"<>|')
  })

  it('are rejected when they climb, contain control characters, or are too long or deep', () => {
    const bad = [
      '..',
      '../a',
      'a/../b',
      'a/..',
      '..',
      'a\0b',
      'a\nb',
      'a\r\nb',
      'a\u0085',
      'a\u007f',
      'a\u2028b',
      '\ud800',
      'x'.repeat(1025),
      'é'.repeat(513),
      Array(5).fill('x'.repeat(1000)).join('/'),
      `${'a/'.repeat(128)}b`,
      'x'.repeat(70_000),
    ]
    for (const name of bad) expect([name.slice(0, 20), codeOf(name)]).toEqual([name.slice(0, 20), 'INVALID_PATH'])
    for (const name of ['%2e%2e/a', '%2E%2E%2Fa', 'a%00b', 'a%0Ab']) expect(codeOf(name, true)).toBe('INVALID_PATH')
    expect(readUploadPath('x'.repeat(1024))).toHaveLength(1)
    expect(readUploadPath(`${'a/'.repeat(127)}b`)).toHaveLength(128)
    expect(readUploadPath('...')).toEqual(['...'])
    expect(readUploadPath('\u200eWhatsApp.jpg')).toEqual(['\u200eWhatsApp.jpg'])
  })

  it('never yield a segment that leaves its folder, for any input', () => {
    const piece = fc.oneof(
      fc.constantFrom('..', '.', '/', '\\', '%2e', '%2F', '\0', 'a'),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, isEscaped) => {
        try {
          for (const segment of readUploadPath(pieces.join(''), isEscaped)) {
            expect(['', '.', '..']).not.toContain(segment)
            expect(segment).not.toMatch(/[/\0\r\n]/)
          }
        } catch (error) {
          expect(CairnError.is(error, 'INVALID_PATH')).toBe(true)
        }
      }),
    )
  })
})
