import { CairnError, isPrivateKey } from '@cairn/protocol'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/** An EVM wallet: its address (EIP-55) and private key. */
export type Wallet = { address: `0x${string}`; privateKey: `0x${string}` }

/** Creates a wallet from the random source of the system. */
export function createWallet(): Wallet {
  return walletFromBytes(secp256k1.utils.randomSecretKey())
}

/**
 * Returns the wallet of a private key: 64 hex characters, with or without 0x.
 * @throws CairnError INVALID_PRIVATE_KEY
 */
export function walletFromPrivateKey(privateKey: string): Wallet {
  return walletFromBytes(keyBytes(privateKey))
}

/**
 * Signs a message as wallets do.
 * @returns 65 bytes: r, s and v of 27 or 28
 * @see https://eips.ethereum.org/EIPS/eip-191
 * @throws CairnError INVALID_PRIVATE_KEY
 */
export function signMessage(privateKey: string, message: string): `0x${string}` {
  const signature = secp256k1.sign(hashMessage(message), keyBytes(privateKey), { prehash: false, format: 'recovered' })
  const [recovery = 0] = signature
  return `0x${bytesToHex(signature.subarray(1))}${(27 + recovery).toString(16)}`
}

/** Returns the hash that wallets sign for a message. @see https://eips.ethereum.org/EIPS/eip-191 */
export function hashMessage(message: string): Uint8Array {
  const text = utf8ToBytes(message)
  return keccak_256(concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${text.length}`), text))
}

/** Returns the address of a public key of 65 bytes, in lower case. */
export function addressOfPublicKey(publicKey: Uint8Array): `0x${string}` {
  return `0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12))}`
}

/** Returns an EVM address in the case of its checksum. @see https://eips.ethereum.org/EIPS/eip-55 */
export function checksumAddress(address: string): `0x${string}` {
  return withChecksum(address.toLowerCase().replace(/^0x/, ''))
}

/**
 * Returns the bytes of a private key.
 * @throws CairnError INVALID_PRIVATE_KEY
 */
export function keyBytes(privateKey: string): Uint8Array {
  if (!isPrivateKey(privateKey)) throw new CairnError('INVALID_PRIVATE_KEY')
  const bytes = hexToBytes(privateKey.replace(/^0x/, ''))
  if (!secp256k1.utils.isValidSecretKey(bytes)) throw new CairnError('INVALID_PRIVATE_KEY')
  return bytes
}

/** Returns the wallet of the bytes of a private key. */
export function walletFromBytes(key: Uint8Array): Wallet {
  const address = addressOfPublicKey(secp256k1.getPublicKey(key, false))
  return { address: checksumAddress(address), privateKey: `0x${bytesToHex(key)}` }
}

/**
 * Upper case for each letter whose digit in the hash of the address is high. @see https://eips.ethereum.org/EIPS/eip-55
 */
function withChecksum(address: string): `0x${string}` {
  const hash = bytesToHex(keccak_256(utf8ToBytes(address)))
  const letters = [...address].map((letter, i) =>
    Number.parseInt(hash.charAt(i), 16) >= 8 ? letter.toUpperCase() : letter,
  )
  return `0x${letters.join('')}`
}
