import { reasonFactsOf } from '@cairn/protocol'
import { CairnError } from '@cairn/sdk'
import { clockDifference } from './clock-difference.ts'
import { translateReason } from './describe-reason.ts'
import { joinSentences } from './format.ts'
import { hintForPeople, isForPrograms } from './hint-for-people.ts'
import { messages } from './messages.ts'
import { usualError } from './usual-errors.ts'
import { isWorded } from './worded.ts'

/**
 * Returns what to show of an error, in the language of the page. What a service or the SDK says beyond the usual text of the
 * code, such as a value, follows: by the code of its reason, else in English. A hint for programs or the command line is replaced by that of the console.
 */
export function describeError(error: unknown): { message: string; hint: string } {
  const found = CairnError.from(error)
  const { code, message, hint } = found
  const aheadMs = clockDifference(found)
  if (aheadMs !== undefined)
    return { message: messages.session.clockDiffers(aheadMs), hint: messages.session.clockHint }
  const own = messages.errors[code]
  const usual = usualError(code)
  const isUsual = message === usual.message
  return {
    message:
      own?.message === undefined || (isWorded(found) && !isUsual)
        ? message
        : isUsual
          ? own.message
          : specify(own.other ?? own.message, found),
    hint: own !== undefined && (hint === usual.hint || isForPrograms(hint)) ? own.hint : hintForPeople(hint),
  }
}

/** Returns the usual text of a code with what this error says beyond it. */
function specify(usual: string, error: CairnError): string {
  const reason = translateReason(reasonFactsOf(error))
  if (reason === undefined) return `${usual} (${error.message})`
  return [usual, findPlace(error), reason].filter((part) => part !== '').join(': ')
}

/** Returns the condition and the field that an error is about. */
function findPlace(error: CairnError): string {
  if (!CairnError.is(error, 'INVALID_CONDITION')) return ''
  const { field, condition, position } = error.details
  return [
    condition === undefined ? undefined : messages.conditionPlaces.byId(condition),
    condition === undefined && position !== undefined ? messages.conditionPlaces.byPosition(position) : undefined,
    field,
  ]
    .filter((part) => part !== undefined)
    .join(', ')
}

/** Returns what happened and what to do, as one text. */
export function explainError(error: unknown): string {
  const { message, hint } = describeError(error)
  return joinSentences(message, hint)
}
