import * as v from 'valibot'

const evmPattern = /^0x[0-9a-fA-F]{40}$/
/** 32 bytes are 43 or 44 characters in base58, rarely 32 to 42 (leading zero bytes). */
const solanaPattern = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const privateKeyPattern = /^(?:0x)?[0-9a-fA-F]{64}$/

/** Returns whether a text is an EVM address: 0x and 40 hex characters, any case. */
export function isEvmAddress(text: unknown): text is `0x${string}` {
  return typeof text === 'string' && evmPattern.test(text)
}

/** Returns whether a text has the form of a Solana address: 32 bytes in base58 (32 to 44 characters). */
export function isSolanaAddress(text: unknown): text is string {
  return typeof text === 'string' && solanaPattern.test(text)
}

/**
 * Returns an address in the form that is stored and compared: EVM in lower case, Solana unchanged, anything else the
 * empty text (the address rule of section 5 of the specification).
 */
export function normalizeAddress(text: unknown): string {
  if (isEvmAddress(text)) return text.toLowerCase()
  if (isSolanaAddress(text)) return text
  return ''
}

/** Coreum accounts: 20 bytes, contracts 32, in bech32 with the prefix of their network. */
const coreumPattern = /^(?:core|testcore|devcore)1(?:[02-9ac-hj-np-z]{38}|[02-9ac-hj-np-z]{58})$/

/** Returns whether a text has the form of a Coreum address, without verifying its checksum. */
export function isCoreumAddress(text: unknown): text is string {
  // Bech32 is all lower or all upper case, never mixed.
  return (
    typeof text === 'string' &&
    (coreumPattern.test(text) || (text === text.toUpperCase() && coreumPattern.test(text.toLowerCase())))
  )
}

/** The zero address owns files that have no owner any more, and never signs in. */
export const zeroAddress = `0x${'0'.repeat(40)}`

/** Returns whether a text is a private key: exactly 64 hex characters, with or without 0x. */
export function isPrivateKey(text: unknown): text is string {
  return typeof text === 'string' && privateKeyPattern.test(text)
}

/** A wallet address, normalised. */
export const addressSchema = /* @__PURE__ */ (() =>
  v.pipe(
    v.string('Invalid public Key'),
    v.trim(),
    v.maxLength(64, 'Invalid public Key'),
    v.transform((text: string) => normalizeAddress(text)),
    v.nonEmpty('Invalid public Key'),
  ))()
