import * as v from 'valibot'

/**
 * The forms of a CID that the specification accepts: v0 in base58, v1 in base32 (either case), base58 and base16,
 * each of a sha2-256 hash. Anchored at both ends, as the published clients' own pattern is not.
 */
const cidPattern =
  /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58}|B[A-Z2-7]{58}|z[1-9A-HJ-NP-Za-km-z]{48}|F[0-9A-F]{50}|f[0-9a-f]{72}|F[0-9A-F]{72})$/

/** Whether a text has the form of a CID, v0 or v1. The empty text has not. */
export function isCid(text: unknown): text is string {
  return typeof text === 'string' && cidPattern.test(text)
}

/**
 * Form of a CID where any multihash is welcome: what a gateway or a CAR may name. The service parses it fully afterwards.
 * Longest: an identity CID of 128 bytes in base16.
 */
const looseCidPattern = /^[A-Za-z0-9+/=_-]{8,300}$/

/** A CID as the calls take it: checked for its form, blanks around it dropped. */
export const cidSchema = v.pipe(
  v.string('Invalid CID'),
  v.trim(),
  v.check((text: string) => isCid(text), 'Invalid CID'),
)

/** A CID of any multibase and hash. */
export const anyCidSchema = v.pipe(v.string('Invalid CID'), v.trim(), v.regex(looseCidPattern, 'Invalid CID'))
