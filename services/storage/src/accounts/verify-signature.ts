import { isEvmAddress } from '@cairn/protocol'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58btc } from 'multiformats/bases/base58'
import { type Hex, isHex, recoverMessageAddress } from 'viem'
import type { ContractVerifier } from './verify-contract.ts'

/** Which of the messages was signed; `needsChain` tells that only a contract could have accepted it and none was asked. */
export type SignatureCheck = { index: number | undefined; needsChain: boolean }

/** Half of the order of secp256k1: a larger s is the malleable twin of a signature and refused (EIP-2). */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * Finds the message that a wallet signed: EIP-191 for EVM addresses, EIP-1271 and ERC-6492 through the chain for contract wallets,
 * ed25519 for Solana addresses (signature in base58, base64 or hex).
 * @throws CairnError UPSTREAM_FAILED when the chain cannot be asked
 */
export async function verifySignature(
  address: string,
  messages: readonly string[],
  signature: string,
  verifyContract: ContractVerifier | undefined,
): Promise<SignatureCheck> {
  if (!isEvmAddress(address)) return { index: findSolana(address, messages, signature), needsChain: false }
  if (!isHex(signature) || signature.length % 2 !== 0) return { index: undefined, needsChain: false }
  for (const [index, message] of messages.entries()) {
    if (await isSignedByOwner(address, message, signature)) return { index, needsChain: false }
  }
  if (verifyContract === undefined) {
    // 64 and 65 bytes are those of a key; anything else can only be a contract's.
    return { index: undefined, needsChain: signature.length !== 132 && signature.length !== 130 }
  }
  return { index: await verifyContract(address, messages, signature), needsChain: false }
}

async function isSignedByOwner(address: string, message: string, signature: Hex): Promise<boolean> {
  const full = expandCompact(signature)
  if (full === undefined || BigInt(`0x${full.slice(66, 130)}`) > halfOrder) return false
  try {
    const signer = await recoverMessageAddress({ message, signature: full })
    return signer.toLowerCase() === address
  } catch {
    // A point that is not on the curve is a wrong signature like any other.
    return false
  }
}

/** 65 bytes as they are; the 64 of EIP-2098 with the parity bit taken out of s. */
function expandCompact(signature: Hex): Hex | undefined {
  if (signature.length === 132) return signature
  if (signature.length !== 130) return undefined
  const s = BigInt(`0x${signature.slice(66)}`)
  const isOdd = s >> 255n === 1n
  const rest = (s & ((1n << 255n) - 1n)).toString(16).padStart(64, '0')
  return `${signature.slice(0, 66)}${rest}${isOdd ? '1c' : '1b'}` as Hex
}

function findSolana(address: string, messages: readonly string[], signature: string): number | undefined {
  const publicKey = decodeBase58(address)
  if (publicKey?.length !== 32) return undefined
  const found = [decodeBase58(signature), decodeHex(signature), new Uint8Array(Buffer.from(signature, 'base64'))]
  const bytes = found.find((candidate) => candidate?.length === 64)
  if (bytes === undefined) return undefined
  const index = messages.findIndex((message) => isSolanaSigned(bytes, message, publicKey))
  return index < 0 ? undefined : index
}

function isSolanaSigned(signature: Uint8Array, message: string, publicKey: Uint8Array): boolean {
  try {
    // RFC 8032 rather than ZIP-215: one signature, one meaning.
    return ed25519.verify(signature, new TextEncoder().encode(message), publicKey, { zip215: false })
  } catch {
    // A key or signature that is no point of the curve proves nothing.
    return false
  }
}

function decodeBase58(text: string): Uint8Array | undefined {
  try {
    return base58btc.baseDecode(text)
  } catch {
    // Another encoding may fit.
    return undefined
  }
}

function decodeHex(text: string): Uint8Array | undefined {
  const digits = text.replace(/^0x/, '')
  return /^[0-9a-fA-F]{128}$/.test(digits) ? new Uint8Array(Buffer.from(digits, 'hex')) : undefined
}
