import * as v from 'valibot'
import { errorTable } from '../errors/error-table.ts'

/** Control characters, line breaks, lone surrogates, and bidirectional controls. */
const unshowable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * A text that users enter and lists show: the name of an API key, the label of a name.
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
