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
