import { expect, test } from 'vitest'
import { readWalletFault } from './wallet-fault.ts'

const withCode = (code: number) => Object.assign(new Error('from a wallet'), { code })

test('finds a rejection by the user at any depth of wrapping', () => {
  expect(readWalletFault(withCode(4001))).toBe('rejected')
  expect(readWalletFault(new Error('signing failed', { cause: new Error('rpc', { cause: withCode(4001) }) }))).toBe(
    'rejected',
  )
})

test('a wallet with another open request is busy', () => {
  expect(readWalletFault(withCode(-32002))).toBe('busy')
})

test('treats everything else as an error, and stops at circular causes', () => {
  const round = new Error('round')
  round.cause = round
  expect(readWalletFault(round)).toBe('other')
  expect(readWalletFault('a text')).toBe('other')
})
