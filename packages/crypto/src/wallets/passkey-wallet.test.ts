import { hkdfSync } from 'node:crypto'
import { CairnError } from '@cairn/protocol'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { derivePasskeyWallet } from './passkey-wallet.ts'

const secret = new Uint8Array(32).fill(7)

test('a passkey has the wallet that HKDF derives from its secret, one per domain', async () => {
  const wallet = await derivePasskeyWallet(secret, 'storage.example')
  const key = Buffer.from(hkdfSync('sha256', secret, 'storage.example', 'cairn/passkey/1/wallet', 32)).toString('hex')
  expect(wallet).toEqual({ privateKey: `0x${key}`, address: privateKeyToAccount(`0x${key}`).address })
  expect((await derivePasskeyWallet(secret, 'other.example')).address).not.toBe(wallet.address)
})

test('rejects a secret of another length', async () => {
  const error = await derivePasskeyWallet(secret.subarray(1), 'storage.example').catch((thrown: unknown) => thrown)
  expect(CairnError.is(error, 'INVALID_REQUEST')).toBe(true)
})
