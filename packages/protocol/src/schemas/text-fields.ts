import * as v from 'valibot'

/** Domain of a message to sign, with its port if any. */
export const textDomain = v.pipe(v.string(), v.regex(/^[A-Za-z0-9.:[\]-]{1,255}$/))
/** Id of a message to sign. */
export const textId = v.pipe(v.string(), v.uuid())
/** ms since 1970. */
export const textTime = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** In the exact form of the message: one party with another form would invalidate it for all. */
export const textNonce = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/))
