import { CairnError } from '@cairn/sdk'
import { joinSentences } from './format.ts'
import { hintForPeople, isForPrograms } from './hint-for-people.ts'
import { messages } from './messages.ts'
import { usualError } from './usual-errors.ts'
import { isWorded } from './worded.ts'

/**
 * Returns what to show of an error, in the language of the page. What a service or the SDK says beyond the usual text of the
 * code, such as a value, follows in English. A hint for programs or the command line is replaced by that of the console.
 */
export function describeError(error: unknown): { message: string; hint: string } {
  const found = CairnError.from(error)
  const { code, message, hint } = found
  const own = messages.errors[code]
  const usual = usualError(code)
  const isUsual = message === usual.message
  return {
    message:
      own?.message === undefined || (isWorded(found) && !isUsual)
        ? message
        : isUsual
          ? own.message
          : `${own.message} (${message})`,
    hint: own !== undefined && (hint === usual.hint || isForPrograms(hint)) ? own.hint : hintForPeople(hint),
  }
}

/** Returns what happened and what to do, as one text. */
export function explainError(error: unknown): string {
  const { message, hint } = describeError(error)
  return joinSentences(message, hint)
}
