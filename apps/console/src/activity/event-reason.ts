import type { AccountEvent } from '@cairn/protocol'
import { describeReason } from '../messages/describe-reason.ts'
import { formatDateTime, joinSentences } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'

/**
 * Returns why a pin failed or a webhook was disabled, in the language of the page. Events of a service that did not send codes
 * yet stay as they came.
 */
export function describeEventReason({ reason, reasonCode, failingSince, ...data }: AccountEvent['data']): string {
  const sentence = String(reason ?? '')
  if (typeof reasonCode !== 'string') return sentence
  const values = Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [],
    ),
  )
  const known = describeReason('', { code: reasonCode, values })
  // The code is for programs.
  if (known === '') return sentence.replace(`${reasonCode}: `, '')
  if (typeof failingSince !== 'string') return joinSentences(known, '')
  return joinSentences(messages.activity.failingSince(formatDateTime(Date.parse(failingSince))), known)
}
