import { expect, test } from 'vitest'
import { formatAmount } from './format-amount.ts'

test.each([
  [0n, '0'],
  [1n, '< 0.0001'],
  [10n ** 18n, '1'],
  [1_234_567_890_000_000_000n, '1.2345'],
  [50_000_000_000_000_000_000n, '50'],
])('shows %s smallest units as %s', (units, text) => {
  expect(formatAmount(units, 18)).toBe(text)
})
