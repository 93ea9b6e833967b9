import { secp256k1 } from '@noble/curves/secp256k1.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { base64, bech32 } from '@scure/base'
import { keyBytes } from '../wallets/wallet.ts'
import { halfOrder } from './half-order.ts'
import { readSignature } from './verify-solana.ts'

/**
 * Returns whether a Coreum account signed a message by ADR-036. The wire carries no public key: both candidates of the
 * signature are tried.
 * @param signature r and s, 64 bytes in base64 or hex
 * @see https://docs.cosmos.network/sdk/latest/reference/architecture/adr-036-arbitrary-signature
 */
export function verifyCoreum(address: string, message: string, signature: string): boolean {
  const bytes = readSignature(signature)
  const prefix = address.slice(0, address.lastIndexOf('1'))
  if (bytes === undefined) return false
  const digest = sha256(signDocument(address, message))
  for (const recovery of [0, 1]) {
    try {
      const found = secp256k1.Signature.fromBytes(bytes, 'compact')
      if (found.s > halfOrder) return false
      const point = found.addRecoveryBit(recovery).recoverPublicKey(digest)
      if (addressOf(point.toBytes(true), prefix) === address) return true
    } catch {
      // Not a point of the curve for this candidate; the other may be one.
    }
  }
  return false
}

/**
 * Signs a message by ADR-036.
 * @returns 64 bytes in base64, as in Keplr
 * @throws CairnError INVALID_PRIVATE_KEY
 */
export function signCoreum(privateKey: string, prefix: string, message: string): string {
  const document = signDocument(coreumAddress(privateKey, prefix), message)
  return base64.encode(secp256k1.sign(sha256(document), keyBytes(privateKey), { prehash: false }))
}

/**
 * Returns the account of a private key on a network of Coreum: `core`, `testcore` or `devcore`.
 * @throws CairnError INVALID_PRIVATE_KEY
 */
export function coreumAddress(privateKey: string, prefix: string): string {
  return addressOf(secp256k1.getPublicKey(keyBytes(privateKey), true), prefix)
}

function addressOf(publicKey: Uint8Array, prefix: string): string {
  return bech32.encodeFromBytes(prefix, ripemd160(sha256(publicKey)))
}

/** Amino JSON with sorted keys, as ADR-036 specifies: no chain, no account, no fee. */
function signDocument(signer: string, message: string): Uint8Array {
  const data = base64.encode(utf8ToBytes(message))
  return utf8ToBytes(
    `{"account_number":"0","chain_id":"","fee":{"amount":[],"gas":"0"},"memo":"","msgs":[{"type":"sign/MsgSignData","value":{"data":${JSON.stringify(data)},"signer":${JSON.stringify(signer)}}}],"sequence":"0"}`,
  )
}
