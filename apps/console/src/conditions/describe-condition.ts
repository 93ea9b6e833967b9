import type { Comparator } from '@cairn/protocol'
import { comparators } from '@cairn/protocol'
import { formatDateTime, shorten, withUnit } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { type DraftChainType, type RawCondition, readField, readText } from './condition-parts.ts'
import { findTemplate, type SentenceField, type TemplateName, templates } from './templates.ts'
import { fromUnits } from './units.ts'

/** A part of a sentence: text, or a field by name. */
export type SentencePart = { text: string } | { name: string; field: SentenceField }

/** The units of amounts in a condition, as far as they are known. */
export type ConditionUnits = {
  /** Symbol of the chain's own coin, or of the token. */
  symbol?: string | undefined
  /** Digits behind the point of the token's amounts. */
  tokenDecimals?: number | undefined
}

/** The sentence of a kind. */
export function readSentence(name: TemplateName, { symbol }: ConditionUnits = {}): SentencePart[] {
  const fields: Readonly<Record<string, SentenceField>> = templates[name].fields
  const sentence: string = messages.conditions.kinds[name].sentence
  // An amount without a symbol is followed by words, where a line may break.
  const text = sentence.replace(
    '\u00a0{symbol}',
    symbol === undefined ? ` ${messages.conditions.nativeCoin}` : `\u00a0${symbol}`,
  )
  return text.split(/(\{\w+\})/).flatMap((part): SentencePart[] => {
    const field = /^\{(\w+)\}$/.exec(part)?.[1]
    const found = field === undefined ? undefined : fields[field]
    if (field !== undefined && found !== undefined) return [{ name: field, field: found }]
    return part === '' ? [] : [{ text: part }]
  })
}

/** Describes a comparison in words. */
function describeComparator(text: string): string {
  const known = comparators.find((comparator): comparator is Comparator => comparator === text)
  return known === undefined ? text : messages.conditions.comparators[known]
}

/** A condition as one line of text. */
export function describeCondition(
  chainType: DraftChainType,
  condition: RawCondition,
  units: ConditionUnits = {},
): string {
  const name = findTemplate(chainType, condition)
  if (name === undefined) {
    const test = `${describeComparator(readText(condition, ['returnValueTest', 'comparator']))} ${readText(condition, ['returnValueTest', 'value'])}`
    return messages.conditions.otherSentence(describeCall(condition), readText(condition, ['chain']), test)
  }
  return readSentence(name, units)
    .map((part) => ('text' in part ? part.text : describeField(condition, part.field, units)))
    .join('')
}

/** Describes the call of a condition with its parameters: it may be about the address of another person. */
function describeCall(condition: RawCondition): string {
  const method = readText(condition, ['method'])
  const parameters = readField(condition, ['parameters'])
  if (!Array.isArray(parameters) || parameters.length === 0) return method
  return `${method}(${parameters.map((_, at) => shorten(readText(parameters, [at]), 10, 6)).join(', ')})`
}

/** Describes the value that a chain returned, in the unit of the condition. */
export function describeObserved(
  chainType: DraftChainType,
  condition: RawCondition,
  observed: unknown,
  { symbol, tokenDecimals }: ConditionUnits = {},
): string {
  const text = typeof observed === 'string' ? observed : JSON.stringify(observed)
  const name = findTemplate(chainType, condition)
  const fields: readonly SentenceField[] = name === undefined ? [] : Object.values(templates[name].fields)
  const field = fields.find(({ kind }) => kind === 'amount' || kind === 'time')
  if (field === undefined || !/^\d+$/.test(text)) return text
  if (field.kind === 'time') return text.length > 12 ? text : formatDateTime(Number(text) * 1000)
  const decimals = field.decimals === 'token' ? tokenDecimals : field.decimals
  if (field.kind !== 'amount') return text
  if (decimals === undefined) return messages.conditions.inUnits(text)
  const unit = name === 'solanaBalance' ? 'SOL' : symbol
  return unit === undefined ? fromUnits(text, decimals) : withUnit(fromUnits(text, decimals), unit)
}

function describeField(
  condition: RawCondition,
  { path, kind, decimals }: SentenceField,
  { tokenDecimals }: ConditionUnits,
): string {
  const text = readText(condition, path)
  if (text === '') return messages.conditions.blank
  if (kind === 'comparator') return describeComparator(text)
  if (kind === 'time' && /^\d{1,12}$/.test(text)) return formatDateTime(Number(text) * 1000)
  if (kind === 'amount' && typeof decimals === 'number') return fromUnits(text, decimals)
  if (decimals === 'token') {
    return tokenDecimals === undefined ? messages.conditions.inUnits(text) : fromUnits(text, tokenDecimals)
  }
  if (kind === 'address') return shorten(text)
  return text
}
