import { expect, test } from 'vitest'
import * as door from './index.ts'

test('the public surface', () => {
  expect(Object.keys(door).sort()).toMatchInlineSnapshot(`
    [
      "agreedSet",
      "commitShards",
      "createWallet",
      "decryptKeystore",
      "encryptKeystore",
      "findKey",
      "fitsCommitment",
      "generateKey",
      "isWholeSet",
      "recoverKey",
      "signMessage",
      "splitKey",
      "walletFromPrivateKey",
    ]
  `)
})
