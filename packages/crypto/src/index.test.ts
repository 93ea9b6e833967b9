import { expect, test } from 'vitest'
import * as door from './index.ts'

test('the public surface', () => {
  expect(Object.keys(door).sort()).toEqual([
    'createWallet',
    'decryptKeystore',
    'encryptKeystore',
    'signMessage',
    'walletFromPrivateKey',
  ])
})
