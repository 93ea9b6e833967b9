import * as v from 'valibot'

/** A name in any of its forms (k51…, bafz…, 12D3Koo…, Qm…), or the id of a name of the account. */
export const anyNameSchema = v.pipe(v.string(), v.regex(/^[A-Za-z0-9]{8,128}$/, 'Invalid IPNS name'))
