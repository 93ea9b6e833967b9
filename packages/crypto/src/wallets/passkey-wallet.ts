import { CairnError } from '@cairn/protocol'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { type Wallet, walletFromBytes } from './wallet.ts'

/** Input that a passkey evaluates its pseudo-random function with. */
export const passkeyInput: Uint8Array<ArrayBuffer> = new Uint8Array(utf8ToBytes('cairn/passkey/1'))

const secretBytes = 32

/**
 * Derives the wallet of a passkey from its secret with HKDF-SHA-256. The same passkey gives the same wallet on every device.
 * @param secret 32 bytes: the output of the WebAuthn extension `prf` for {@link passkeyInput}
 * @param domain relying party id of the passkey
 * @throws CairnError INVALID_REQUEST if the secret has another length
 * @see https://www.w3.org/TR/webauthn-3/#prf-extension
 * @see https://www.rfc-editor.org/rfc/rfc5869
 */
export async function derivePasskeyWallet(secret: Uint8Array, domain: string): Promise<Wallet> {
  if (secret.length !== secretBytes) {
    throw new CairnError('INVALID_REQUEST', {
      message: `The secret of a passkey has ${secretBytes} bytes, this one ${secret.length}`,
    })
  }
  const from = await crypto.subtle.importKey('raw', new Uint8Array(secret), 'HKDF', false, ['deriveBits'])
  const derivation = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(utf8ToBytes(domain)),
    info: utf8ToBytes('cairn/passkey/1/wallet'),
  }
  // All but 2^-128 of the outputs are keys of the curve.
  return walletFromBytes(new Uint8Array(await crypto.subtle.deriveBits(derivation, from, secretBytes * 8)))
}
