import { CairnError, isPrivateKey } from '@cairn/protocol'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/** An EVM wallet: its address (EIP-55) and private key. */
export type Wallet = { address: `0x${string}`; privateKey: `0x${string}` }

/** Makes a wallet from the system's random source. */
export function createWallet(): Wallet {
  return walletFromBytes(secp256k1.utils.randomSecretKey())
}

/** The wallet of a private key: 64 hex characters, with or without 0x. @throws CairnError INVALID_PRIVATE_KEY */
export function walletFromPrivateKey(privateKey: string): Wallet {
  return walletFromBytes(keyBytes(privateKey))
}

/**
 * Signs a text as wallets do: 65 bytes, r, s and v of 27 or 28.
 * @see https://eips.ethereum.org/EIPS/eip-191
 * @throws CairnError INVALID_PRIVATE_KEY
 */
export function signMessage(privateKey: string, message: string): `0x${string}` {
  const text = utf8ToBytes(message)
  const digest = keccak_256(concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${text.length}`), text))
  const signature = secp256k1.sign(digest, keyBytes(privateKey), { prehash: false, format: 'recovered' })
  const [recovery = 0] = signature
  return `0x${bytesToHex(signature.subarray(1))}${(27 + recovery).toString(16)}`
}

/** The bytes of a private key. @throws CairnError INVALID_PRIVATE_KEY */
export function keyBytes(privateKey: string): Uint8Array {
  if (!isPrivateKey(privateKey)) throw new CairnError('INVALID_PRIVATE_KEY')
  const bytes = hexToBytes(privateKey.replace(/^0x/, ''))
  if (!secp256k1.utils.isValidSecretKey(bytes)) throw new CairnError('INVALID_PRIVATE_KEY')
  return bytes
}

/** The wallet of a key's bytes. */
export function walletFromBytes(key: Uint8Array): Wallet {
  const publicKey = secp256k1.getPublicKey(key, false).subarray(1)
  const address = bytesToHex(keccak_256(publicKey).subarray(12))
  return { address: withChecksum(address), privateKey: `0x${bytesToHex(key)}` }
}

/** Upper case where the hash of the address has a high digit. @see https://eips.ethereum.org/EIPS/eip-55 */
function withChecksum(address: string): `0x${string}` {
  const hash = bytesToHex(keccak_256(utf8ToBytes(address)))
  const letters = [...address].map((letter, i) =>
    Number.parseInt(hash.charAt(i), 16) >= 8 ? letter.toUpperCase() : letter,
  )
  return `0x${letters.join('')}`
}
