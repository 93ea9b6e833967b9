import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base58, base64 } from '@scure/base'

/** Returns the bytes of a Solana address; undefined unless it is 32 bytes in base58. */
function solanaKeyOf(address: string): Uint8Array | undefined {
  const key = decode(() => base58.decode(address))
  return key?.length === 32 ? key : undefined
}

/**
 * Returns whether a Solana address signed a message: ed25519 over its UTF-8 bytes, by RFC 8032 rather than ZIP-215,
 * which has one meaning per signature. The signature is in base58, base64 or hex.
 */
export function verifySolana(address: string, message: string, signature: string): boolean {
  const key = solanaKeyOf(address)
  const bytes = readSignature(signature)
  if (key === undefined || bytes === undefined || isTransaction(utf8ToBytes(message))) return false
  try {
    return ed25519.verify(bytes, utf8ToBytes(message), key, { zip215: false })
  } catch {
    // A key or signature that is not a point of the curve proves nothing.
    return false
  }
}

/**
 * Signs a message with a 32-byte secret key in hex.
 * @returns base58, as in wallets
 */
export function signSolana(secretKey: string, message: string): string {
  return base58.encode(ed25519.sign(utf8ToBytes(message), hexToBytes(secretKey)))
}

/** Returns the address of a secret key. */
export function solanaAddress(secretKey: string): string {
  return base58.encode(ed25519.getPublicKey(hexToBytes(secretKey)))
}

/** Decodes a signature of 64 bytes in any of the encodings. */
export function readSignature(text: string): Uint8Array | undefined {
  const readings = [() => hexToBytes(text.replace(/^0x/, '')), () => base58.decode(text), () => base64.decode(text)]
  for (const read of readings) {
    const bytes = decode(read)
    if (bytes?.length === 64) return bytes
  }
  return undefined
}

/** Returns a canonical id of a signature, whatever its encoding, case, or form of v. */
export function nameSignature(text: string): string {
  if (/^0x[0-9a-fA-F]{130}$/.test(text)) {
    const v = Number.parseInt(text.slice(130), 16)
    return text.slice(2, 130).toLowerCase() + (v >= 27 ? v - 27 : v).toString(16).padStart(2, '0')
  }
  const bytes = readSignature(text)
  return bytes === undefined ? text.toLowerCase() : bytesToHex(bytes)
}

/**
 * Returns whether bytes could be the message of a transaction, which a wallet must never sign as a text. Our messages
 * start with letters; a transaction starts with its number of signatures, at most 19, or with a version byte above 127.
 */
function isTransaction(bytes: Uint8Array): boolean {
  const [first = 0] = bytes
  return first < 32 || first > 127
}

function decode(read: () => Uint8Array): Uint8Array | undefined {
  try {
    return read()
  } catch {
    // Another encoding may match.
    return undefined
  }
}
