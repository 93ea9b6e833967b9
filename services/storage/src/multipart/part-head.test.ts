import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createHeadReader, readPartHead } from './part-head.ts'

const outcomeOf = (read: typeof readPartHead, head: string): unknown => {
  try {
    return read(Buffer.from(head), 5)
  } catch (error) {
    return String(error)
  }
}

it('reads each header of a body like a single one, whatever came before', () => {
  const name = fc.oneof(
    fc.stringMatching(/^[a-z/]{0,9}$/),
    // Equal to another name in the file below: only then must the changing one not count.
    fc.constantFrom('z', 'other', 'again', 'second'),
    fc.constantFrom(
      'ü',
      'a"b',
      'a\\\\b',
      'a\\"',
      '%22',
      'a\tb',
      '"',
      '"; filename="x',
      '"; filename*=utf-8\'\'y; a="',
      '\r\nA: "',
    ),
  )
  const before = fc.constantFrom(
    'Content-Disposition: form-data; name="file"; filename="',
    'Content-Disposition: form-data; name="a; filename="',
    "Content-Disposition: form-data; filename*=utf-8''z; filename=\"",
    'Content-Type: text/plain\r\nContent-Disposition: form-data; filename="',
    'Content-Disposition: form-data; name=file; filename=',
  )
  const after = fc.constantFrom(
    '"',
    '"\r\nContent-Type: application/octet-stream',
    '"; name="last"',
    "\"; filename*=utf-8''other",
    '"; filename="again"',
    '"\r\nContent-Disposition: form-data; filename="second"',
  )
  const head = fc.tuple(before, name, after)
  // Many headers in a few forms, so that most follow one of the same form.
  fc.assert(
    fc.property(
      fc.array(head, { maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(2), name), { maxLength: 20 }),
      (forms, rest) => {
        const read = createHeadReader()
        for (const form of forms) expect(outcomeOf(read, form.join(''))).toEqual(outcomeOf(readPartHead, form.join('')))
        for (const [at, own] of rest) {
          const form = forms[at]
          if (form === undefined) continue
          const text = `${form[0]}${own}${form[2]}`
          expect(outcomeOf(read, text)).toEqual(outcomeOf(readPartHead, text))
        }
      },
    ),
    { numRuns: 2000 },
  )
})

it('rejects a long line of spaces', () => {
  // If spaces had several ways to match, this would take hours.
  expect(outcomeOf(readPartHead, `a:${'\t'.repeat(100_000)}\n`)).toMatch('malformed')
  expect(outcomeOf(readPartHead, `a:${' x'.repeat(50_000)}${' '.repeat(50_000)}\u2028`)).toMatch('malformed')
})
