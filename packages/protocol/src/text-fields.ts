import * as v from 'valibot'

/** Host that a text to sign counts for, with its port where it has one. */
export const textDomain = v.pipe(v.string(), v.regex(/^[A-Za-z0-9.:[\]-]{1,255}$/))
/** Names a text to sign. */
export const textId = v.pipe(v.string(), v.uuid())
/** ms since 1970. */
export const textTime = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** In the very form that the text takes: one party with another would spoil it for all. */
export const textNonce = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/))
