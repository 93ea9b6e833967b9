import * as v from 'valibot'
import { errorTable } from './errors.ts'

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
