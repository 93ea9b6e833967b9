import { CairnError } from '@cairn/sdk'
import { joinSentences } from './format.ts'
import { messages } from './messages.ts'
import { usualError } from './usual-errors.ts'

/**
 * Returns what to show of an error, in the language of the page. What a service or the SDK says beyond the usual text of the
 * code, such as a value, follows in English.
 */
export function describeError(error: unknown): { message: string; hint: string } {
  const { code, message, hint } = CairnError.from(error)
  const own = messages.errors[code]
  if (own === undefined) return { message, hint }
  const usual = usualError(code)
  return {
    message: message === usual.message ? own.message : `${own.message} (${message})`,
    hint: hint === usual.hint ? own.hint : hint,
  }
}

/** Returns what happened and what to do, as one text. */
export function explainError(error: unknown): string {
  const { message, hint } = describeError(error)
  return joinSentences(message, hint)
}
