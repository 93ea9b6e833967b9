import type { NetworkProfile } from '@cairn/sdk'
import { type CreateConnectorFn, injected } from 'wagmi'
import { isEip1193Provider } from './eip1193.ts'
import { createPasskeyWallet } from './passkey-wallet.ts'
import { passkeyId } from './wallet-choice.ts'

/** Passkeys as one more wallet of the page, with the same interface for wagmi as any in the browser (EIP-1193). */
export function createPasskeyConnector(
  network: NetworkProfile,
  settings: NonNullable<NetworkProfile['passkeys']>,
): CreateConnectorFn | undefined {
  if (!('PublicKeyCredential' in window)) return undefined
  const wallet = createPasskeyWallet(network, settings)
  const provider = isEip1193Provider(wallet) ? wallet : undefined
  if (provider === undefined) throw new Error('a passkey takes requests')
  return injected({ target: { id: passkeyId, name: 'Passkey', provider } })
}
