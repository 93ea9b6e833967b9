import { expect, test } from 'vitest'
import { readWalletFailure } from './wallet-failure.ts'

const withCode = (code: number) => Object.assign(new Error('from a wallet'), { code })

test('finds a rejection by the user at any depth of wrapping', () => {
  expect(readWalletFailure(withCode(4001))).toBe('rejected')
  expect(readWalletFailure(new Error('signing failed', { cause: new Error('rpc', { cause: withCode(4001) }) }))).toBe(
    'rejected',
  )
})

test('a wallet with another open request is busy', () => {
  expect(readWalletFailure(withCode(-32002))).toBe('busy')
})

test('treats everything else as an error, and stops at circular causes', () => {
  const round = new Error('round')
  round.cause = round
  expect(readWalletFailure(round)).toBe('other')
  expect(readWalletFailure('a text')).toBe('other')
})
