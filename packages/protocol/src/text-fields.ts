import * as v from 'valibot'
import { errorTable } from './errors.ts'

/** Host that a text to sign counts for, with its port where it has one. */
export const textDomain = v.pipe(v.string(), v.regex(/^[A-Za-z0-9.:[\]-]{1,255}$/))
/** Names a text to sign. */
export const textId = v.pipe(v.string(), v.uuid())
/** ms since 1970. */
export const textTime = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** In the very form that the text takes: one party with another would spoil it for all. */
export const textNonce = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/))

/** Control characters, line breaks, halves of letters, and what turns the direction of reading. */
const unshowable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * A text that users give and lists show: the name of an API key, the label of a name.
 * @param maxLength in UTF-16 code units
 */
/* @__NO_SIDE_EFFECTS__ */
export function labelText(maxLength: number) {
  return v.pipe(
    v.string(),
    v.trim(),
    v.maxLength(maxLength),
    v.check((text) => !unshowable.test(text), errorTable.INVALID_LABEL.message),
  )
}
