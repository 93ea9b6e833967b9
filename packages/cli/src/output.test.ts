import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clean, formatTable, progressLine, textWidth } from './output.ts'

test('columns stand under one another, without blanks at the end', () => {
  expect(
    formatTable(
      ['CID', 'NAME'],
      [
        ['bafy', 'a'],
        ['b', 'longer'],
      ],
    ),
  ).toBe('CID   NAME\nbafy  a\nb     longer')
})

test('the last column gives way to the width of the terminal; what is copied from the others stays whole', () => {
  const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.integer({ min: 80, max: 120 }), (name, width) => {
      for (const line of formatTable(['CID', 'SIZE', 'NAME'], [[cid, '1.00 MiB', name]], width).split('\n')) {
        expect(textWidth(line)).toBeLessThanOrEqual(width)
      }
      expect(formatTable(['CID', 'NAME'], [[cid, name]], 20)).toContain(cid)
    }),
  )
})

test('letters of East Asia take two columns, marks none', () => {
  expect(textWidth('石塔')).toBe(4)
  expect(textWidth('e\u0301')).toBe(1)
  const [first, second] = formatTable(['N', 'S'], [['石', 'x']]).split('\n')
  expect(first).toBe('N   S')
  expect(second).toBe('石  x')
})

test('a long text is cut with a sign that it was', () => {
  expect(formatTable(['NAME'], [['abcdefghijklmnop']], 8)).toBe('NAME\nabcdefg…')
})

test('names cannot move the cursor or turn the line', () => {
  expect(clean('a\u001b[2Jb\u009bc\u202ed\ne')).toBe('a\ufffd[2Jb\ufffdc\ufffdd\ufffde')
  expect(clean('Käse 石 👍')).toBe('Käse 石 👍')
})

test('progress: part, bytes, rate and what is left, in one line', () => {
  const progress = {
    phase: 'send',
    bytes: 512 * 1024,
    total: 1024 * 1024,
    bytesPerSecond: 1024,
    remainingMs: 512_000,
  } as const
  const line = progressLine('a.bin', progress, 100)
  expect(line).toContain('█')
  expect(line).toContain('50 %  512 KiB of 1.00 MiB  1.00 KiB/s  8 min 32 s left')
  for (const width of [10, 40, 80]) expect(progressLine('a.bin', progress, width).length).toBeLessThan(width)
})

test('progress of a stream of unknown length', () => {
  expect(
    progressLine(
      '-',
      { phase: 'send', bytes: 2048, total: undefined, bytesPerSecond: 1024, remainingMs: undefined },
      80,
    ),
  ).toBe('- 2.00 KiB  1.00 KiB/s')
})
