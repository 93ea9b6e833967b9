import { fillReason, type ReasonFacts } from '@cairn/protocol'
import { formatBytes, formatCount } from './format.ts'
import { messages } from './messages.ts'

/**
 * Returns why something is so, in the language of the page: the sentence of its code, or of the error code. A reason without
 * facts, or with a code that this page does not know, comes from a service of another version and stays as it came.
 */
export function describeReason(reason: string, facts: ReasonFacts | undefined): string {
  if (facts === undefined) return reason
  if (lookUp(messages.reasons, facts.code) !== undefined) return translateReason(facts) ?? reason
  return lookUp(messages.errors, facts.code)?.message ?? reason
}

/** Returns the sentence of a reason in the language of the page; undefined in English, and for one that the page does not know. */
export function translateReason({ code, values = {} }: ReasonFacts): string | undefined {
  const sentence = lookUp(messages.reasons, code)
  return sentence === undefined ? undefined : fillReason(sentence, values, formatValue)
}

function formatValue(value: string | number, name: string): string {
  if (typeof value === 'string') return value
  return name === 'bytes' ? formatBytes(value) : formatCount(value)
}

/** Codes come from services: one may be the name of a property that every object has. */
function lookUp<Text>(texts: Readonly<Partial<Record<string, Text>>>, code: string): Text | undefined {
  return Object.hasOwn(texts, code) ? texts[code] : undefined
}
