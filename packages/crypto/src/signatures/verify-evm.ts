import { secp256k1 } from '@noble/curves/secp256k1.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { addressOfPublicKey, hashMessage } from '../wallets/wallet.ts'
import { halfOrder } from './half-order.ts'

const hexPattern = /^0x(?:[0-9a-fA-F]{2})+$/

/**
 * `needs-chain`: not a signature by the key of this address, but possibly by a contract, which only a chain can verify.
 */
export type EvmCheck = 'valid' | 'needs-chain' | 'invalid'

/**
 * Checks whether an EVM address signed a message: 65 bytes with v of 27, 28, 0 or 1, or the 64 of EIP-2098. Accepts
 * only the lower of the two values of s, so that each signature has one form.
 * @param address in lower case
 * @see https://eips.ethereum.org/EIPS/eip-191
 * @see https://eips.ethereum.org/EIPS/eip-2098
 */
export function verifyEvm(address: string, message: string, signature: string): EvmCheck {
  if (!hexPattern.test(signature)) return 'invalid'
  const bytes = hexToBytes(signature.slice(2))
  const parts = bytes.length === 65 ? readFull(bytes) : bytes.length === 64 ? readCompact(bytes) : undefined
  if (parts === undefined) return 'needs-chain'
  if (parts.s === 0n || parts.s > halfOrder) return 'invalid'
  try {
    const point = new secp256k1.Signature(parts.r, parts.s, parts.recovery).recoverPublicKey(hashMessage(message))
    return addressOfPublicKey(point.toBytes(false)) === address ? 'valid' : 'needs-chain'
  } catch {
    // A point that is not on the curve is an invalid signature.
    return 'needs-chain'
  }
}

type Parts = { r: bigint; s: bigint; recovery: number }

function readFull(bytes: Uint8Array): Parts | undefined {
  const v = bytes[64] ?? 0
  const recovery = v >= 27 ? v - 27 : v
  return recovery === 0 || recovery === 1 ? { r: toNumber(bytes, 0), s: toNumber(bytes, 32), recovery } : undefined
}

/** The parity bit is the top bit of s. */
function readCompact(bytes: Uint8Array): Parts {
  const yParityAndS = toNumber(bytes, 32)
  return { r: toNumber(bytes, 0), s: yParityAndS & ((1n << 255n) - 1n), recovery: Number(yParityAndS >> 255n) }
}

function toNumber(bytes: Uint8Array, at: number): bigint {
  let value = 0n
  for (const byte of bytes.subarray(at, at + 32)) value = (value << 8n) | BigInt(byte)
  return value
}
