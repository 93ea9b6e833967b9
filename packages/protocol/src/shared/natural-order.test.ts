import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createNaturalOrder } from './natural-order.ts'

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'aAbBzZ019-_. (),;~$', 'ä', 'é', 'ß', '\u3042') }),
  fc.string({ unit: fc.constantFrom(...'aA0129_') }),
  fc.string(),
)

test('compares numbers by their value, and sorts capitals among small letters', () => {
  const { sort } = createNaturalOrder('en')
  const names = ['b', 'img10', 'IMG9', 'B', 'img 1', '10', '9', '_a', 'img010', 'a']
  expect(sort(names, (name) => name)).toEqual(['_a', '9', '10', 'a', 'b', 'B', 'img 1', 'IMG9', 'img010', 'img10'])
})

test.each(['en', 'de', 'es', 'sv'])('sorting agrees with the rules of the language: %s', (locale) => {
  const { sort, compare } = createNaturalOrder(locale)
  const collator = new Intl.Collator(locale, { numeric: true })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
      const sorted = sort(texts, (one) => one)
      expect(sorted).toEqual(texts.toSorted(compare))
      for (const [at, one] of sorted.entries())
        expect(collator.compare(sorted[at - 1] ?? one, one)).toBeLessThanOrEqual(0)
    }),
    { numRuns: 1000 },
  )
})
