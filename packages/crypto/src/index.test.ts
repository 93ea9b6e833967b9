import { expect, test } from 'vitest'
import * as door from './index.ts'

test('the public surface', () => {
  expect(Object.keys(door).sort()).toMatchInlineSnapshot(`
    [
      "agreedSet",
      "checksumAddress",
      "commitShards",
      "coreumAddress",
      "createSessionKey",
      "createWallet",
      "decryptKeystore",
      "encryptKeystore",
      "findKey",
      "fitsCommitment",
      "generateKey",
      "hashMessage",
      "isWholeSet",
      "nameSignature",
      "parseChallenge",
      "parseDidKey",
      "parseSignIn",
      "proofHeader",
      "recoverKey",
      "signCoreum",
      "signMessage",
      "signRequest",
      "signSolana",
      "solanaAddress",
      "splitKey",
      "verifyRequest",
      "verifyWalletSignature",
      "walletFromPrivateKey",
      "writeChallenge",
      "writeDidKey",
      "writeSignIn",
    ]
  `)
})
