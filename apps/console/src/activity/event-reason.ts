import type { AccountEvent } from '@cairn/protocol'
import { describeReason } from '../messages/describe-reason.ts'
import { formatDateTime, joinSentences } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'

/**
 * Returns why a pin failed or a webhook was disabled, in the language of the page. Events of a service that did not send codes
 * yet are returned unchanged.
 */
export function describeEventReason({ reason, reasonCode, failingSince, ...data }: AccountEvent['data']): string {
  const sentence = endSentence(String(reason ?? ''))
  if (typeof reasonCode !== 'string') return sentence
  const values = Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [],
    ),
  )
  const known = describeReason('', { code: reasonCode, values })
  const since = typeof failingSince === 'string' ? formatDateTime(Date.parse(failingSince)) : undefined
  // The code and the time with its milliseconds are for programs.
  if (known === '') return sentence.replace(/^[A-Z0-9_]+: /, '').replace(String(failingSince), since ?? '')
  if (since === undefined) return endSentence(known)
  return joinSentences(messages.activity.failingSince(since), endSentence(known))
}

function endSentence(text: string): string {
  return text === '' ? '' : joinSentences(text, '')
}
