import { networks } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { accountPage, transactionPage } from './explorer.ts'

test('names the pages of a transaction and of an account', () => {
  expect(transactionPage('base', '0x12')).toBe('https://basescan.org/tx/0x12')
  expect(accountPage('base', '0xab')).toBe('https://basescan.org/address/0xab')
  expect(accountPage('filecoin', '0xab')).toBe('https://filfox.info/en/address/0xab')
})

test('names none for a local chain', () => {
  expect(transactionPage('local', '0x12')).toBeUndefined()
  expect(accountPage('local', '0xab')).toBeUndefined()
})

test('every chain that is in use has both', () => {
  for (const chain of Object.values(networks)) {
    if (!('retired' in chain)) expect(accountPage(chain.name, '0xab'), chain.name).toMatch(/\/address\/0xab$/)
  }
})
