import { CairnError } from '@cairn/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownCodeOf } from '../../../../tests/code-of.ts'
import { readUploadPath } from './upload-path.ts'

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
    expect(readUploadPath('100%+a%20b.txt')).toEqual(['100%+a%20b.txt'])
    expect(readUploadPath('few%2Ff+1%2B', true)).toEqual(['few', 'f 1+'])
    expect(readUploadPath('100%', true)).toEqual(['100%'])
    expect(readUploadPath('日本/🙂 …', false)).toEqual(['日本', '🙂 …'])
    expect(readUploadPath('a\\b:c*?"<>|')).toEqual(['a\\b:c*?"<>|'])
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
    for (const name of bad)
      expect(
        thrownCodeOf(() => readUploadPath(name)),
        name.slice(0, 20),
      ).toBe('INVALID_PATH')
    for (const name of ['%2e%2e/a', '%2E%2E%2Fa', 'a%00b', 'a%0Ab'])
      expect(
        thrownCodeOf(() => readUploadPath(name, true)),
        name,
      ).toBe('INVALID_PATH')
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
