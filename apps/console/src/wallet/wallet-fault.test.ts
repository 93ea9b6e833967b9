import { expect, test } from 'vitest'
import { readWalletFault } from './wallet-fault.ts'

const withCode = (code: number) => Object.assign(new Error('from a wallet'), { code })

test('a refusal is found however deep libraries wrap it', () => {
  expect(readWalletFault(withCode(4001))).toBe('rejected')
  expect(readWalletFault(new Error('signing failed', { cause: new Error('rpc', { cause: withCode(4001) }) }))).toBe(
    'rejected',
  )
})

test('a wallet that has another request open is busy', () => {
  expect(readWalletFault(withCode(-32002))).toBe('busy')
})

test('all else is a fault, and causes that go round end the search', () => {
  const round = new Error('round')
  round.cause = round
  expect(readWalletFault(round)).toBe('other')
  expect(readWalletFault('a text')).toBe('other')
})
