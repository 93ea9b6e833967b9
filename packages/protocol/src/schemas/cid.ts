import * as v from 'valibot'

/**
 * The forms of a CID that the specification accepts: v0 in base58, v1 in base32 (either case), base58 and base16, each
 * of a sha2-256 hash. Anchored at both ends, unlike the pattern of the published clients.
 */
const cidPattern =
  /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58}|B[A-Z2-7]{58}|z[1-9A-HJ-NP-Za-km-z]{48}|F[0-9A-F]{50}|f[0-9a-f]{72}|F[0-9A-F]{72})$/

/** Returns whether a text has the form of a CID, v0 or v1; false for the empty text. */
export function isCid(text: unknown): text is string {
  return typeof text === 'string' && cidPattern.test(text)
}

/** Forms of a CID with any multihash in base58, base32, base36 or base16, up to 300 characters. */
const anyCidPattern =
  /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|z[1-9A-HJ-NP-Za-km-z]{7,299}|b[a-z2-7]{7,299}|B[A-Z2-7]{7,299}|k[a-z0-9]{7,299}|K[A-Z0-9]{7,299}|f[0-9a-f]{7,299}|F[0-9A-F]{7,299})$/

/** Returns whether a text has the form of a CID of any hash function; the service parses it fully. */
export function isAnyCid(text: unknown): text is string {
  return typeof text === 'string' && anyCidPattern.test(text)
}

/** Returns the start of a CID as CIDs are stored: in lower case unless it is of version 0, whose case matters. */
export function toCidStart(text: string): string {
  // Only the letters of ASCII, as both databases do.
  return text.startsWith('Q') ? text : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/**
 * Form of a CID with any multihash, as a gateway or a CAR may name it. The service parses it fully afterwards. The
 * longest is an identity CID of 128 bytes in base16.
 */
const looseCidPattern = /^[A-Za-z0-9+/=_-]{8,300}$/

/** A CID as an input of calls: trimmed, with its form checked. */
export const cidSchema = v.pipe(
  v.string('Invalid CID'),
  v.trim(),
  v.check((text: string) => isCid(text), 'Invalid CID'),
)

/** A CID of any multibase and hash. */
export const anyCidSchema = /* @__PURE__ */ (() =>
  v.pipe(v.string('Invalid CID'), v.trim(), v.regex(looseCidPattern, 'Invalid CID')))()
