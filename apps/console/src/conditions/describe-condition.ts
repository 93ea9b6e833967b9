import type { Comparator } from '@cairn/protocol'
import { comparators } from '@cairn/protocol'
import { formatDateTime, shorten } from '../words/format.ts'
import { words } from '../words/words.ts'
import { type DraftChainType, type RawCondition, readText } from './condition-parts.ts'
import { findTemplate, type SentenceField, type TemplateName, templates } from './templates.ts'
import { fromUnits } from './units.ts'

/** A sentence taken apart: words, and fields by name. */
export type SentencePart = { text: string } | { name: string; field: SentenceField }

/** The sentence of a kind. */
export function readSentence(name: TemplateName): SentencePart[] {
  const fields: Readonly<Record<string, SentenceField>> = templates[name].fields
  return words.conditions.kinds[name].sentence.split(/(\{\w+\})/).flatMap((part): SentencePart[] => {
    const field = /^\{(\w+)\}$/.exec(part)?.[1]
    const found = field === undefined ? undefined : fields[field]
    if (field !== undefined && found !== undefined) return [{ name: field, field: found }]
    return part === '' ? [] : [{ text: part }]
  })
}

/** A comparison in words. */
export function describeComparator(text: string): string {
  const known = comparators.find((comparator): comparator is Comparator => comparator === text)
  return known === undefined ? text : words.conditions.comparators[known]
}

/** A condition as one line of text. */
export function describeCondition(chainType: DraftChainType, condition: RawCondition): string {
  const name = findTemplate(chainType, condition)
  if (name === undefined) {
    const test = `${describeComparator(readText(condition, ['returnValueTest', 'comparator']))} ${readText(condition, ['returnValueTest', 'value'])}`
    return words.conditions.otherSentence(readText(condition, ['method']), readText(condition, ['chain']), test)
  }
  return readSentence(name)
    .map((part) => ('text' in part ? part.text : describeField(condition, part.field)))
    .join('')
}

/**
 * What a chain said, in the unit in which the condition asks for it.
 * @param tokenDecimals of the token that the condition names, where they are known
 */
export function describeObserved(
  chainType: DraftChainType,
  condition: RawCondition,
  observed: unknown,
  tokenDecimals?: number,
): string {
  const text = typeof observed === 'string' ? observed : JSON.stringify(observed)
  const name = findTemplate(chainType, condition)
  const fields: readonly SentenceField[] = name === undefined ? [] : Object.values(templates[name].fields)
  const field = fields.find(({ kind }) => kind === 'amount' || kind === 'time')
  if (field === undefined || !/^\d+$/.test(text)) return text
  if (field.kind === 'time') return text.length > 12 ? text : formatDateTime(Number(text) * 1000)
  const decimals = field.decimals === 'token' ? tokenDecimals : field.decimals
  return decimals === undefined ? words.conditions.inUnits(text) : fromUnits(text, decimals)
}

function describeField(condition: RawCondition, { path, kind, decimals }: SentenceField): string {
  const text = readText(condition, path)
  if (text === '') return words.conditions.blank
  if (kind === 'comparator') return describeComparator(text)
  if (kind === 'time' && /^\d{1,12}$/.test(text)) return formatDateTime(Number(text) * 1000)
  if (kind === 'amount' && typeof decimals === 'number') return fromUnits(text, decimals)
  if (decimals === 'token') return words.conditions.inUnits(text)
  if (kind === 'address') return shorten(text)
  return text
}
