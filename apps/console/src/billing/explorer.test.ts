import { networks } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { accountPage, transactionPage } from './explorer.ts'

test('links to the pages of a transaction and of an account', () => {
  expect(transactionPage('base', '0x12')).toBe('https://basescan.org/tx/0x12')
  expect(accountPage('base', '0xab')).toBe('https://basescan.org/address/0xab')
  expect(accountPage('filecoin', '0xab')).toBe('https://filfox.info/en/address/0xab')
})

test('has no links for a local chain', () => {
  expect(transactionPage('local', '0x12')).toBeUndefined()
  expect(accountPage('local', '0xab')).toBeUndefined()
})

test('has both links for every chain in use', () => {
  for (const chain of Object.values(networks)) {
    if (!('retired' in chain)) expect(accountPage(chain.name, '0xab'), chain.name).toMatch(/\/address\/0xab$/)
  }
})
