import {
  CairnError,
  type ConditionField,
  type Expression,
  listedConditions,
  parseAggregator,
  parseConditions,
  parseReason,
  type Reason,
} from '@cairn/protocol'
import { describeTypo } from '../contacts/mistyped.ts'
import { describeReason } from '../messages/describe-reason.ts'
import { capitalize, joinSentences } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { asWorded } from '../messages/worded.ts'
import { type DraftChainType, type RawCondition, readText } from './condition-parts.ts'
import { findTemplate, type SentenceField, templates } from './templates.ts'

/** How conditions are combined: all of them, any one, or a custom grouping. */
export type JoinMode = 'all' | 'any' | 'own'

/** Conditions during editing. */
export type Draft = {
  chainType: DraftChainType
  conditions: readonly RawCondition[]
  mode: JoinMode
  /** In mode `own`: ids with and, or, ! and parentheses; with or without brackets around ids. */
  grouping: string
}

export const emptyDraft: Draft = { chainType: 'EVM', conditions: [], mode: 'all', grouping: '' }

/** Response of key nodes about the conditions of a file. */
export type SavedConditions = { aggregator: string | null } & Readonly<Record<ConditionField, readonly unknown[]>>

export function idsOf({ conditions }: Pick<Draft, 'conditions'>): number[] {
  return conditions.map((condition) => Number(readText(condition, ['id'])))
}

/** Returns the number of the next condition. */
export function nextId(draft: Pick<Draft, 'conditions'>): number {
  return Math.max(0, ...idsOf(draft).filter(Number.isSafeInteger)) + 1
}

/** Puts ids in brackets, as they are saved: `(1 and 2) or 3` becomes `([1] and [2]) or [3]`. */
export function toAggregator(grouping: string): string {
  return grouping.replace(
    /\[\s*([\d.]+)\s*\]|([\d.]+)/g,
    (_all, bracketed: string, bare: string) => `[${bracketed ?? bare}]`,
  )
}

/** Returns the aggregator of a draft in saved form. */
export function aggregatorOf(draft: Draft): string {
  const ids = idsOf(draft)
  if (ids.length < 2) return ''
  if (draft.mode === 'own') return toAggregator(draft.grouping.trim())
  return ids.map((id) => `[${id}]`).join(draft.mode === 'all' ? ' and ' : ' or ')
}

/** Returns the input of a draft for requests and imports. */
export function toInput(draft: Draft): {
  chainType: DraftChainType
  conditions: readonly RawCondition[]
  aggregator: string
} {
  return { chainType: draft.chainType, conditions: draft.conditions, aggregator: aggregatorOf(draft) }
}

/** Creates a draft from saved conditions. */
export function fromSaved(saved: SavedConditions): Draft {
  const { chainType, conditions } = listedConditions(saved)
  return toDraft(chainType, conditions, saved.aggregator ?? '')
}

/**
 * Parses a draft from pasted JSON: `{ chainType, conditions, aggregator }`, or only a list of conditions.
 * @throws CairnError INVALID_CONDITION
 */
export function fromJson(text: string): Draft {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw asWorded(new CairnError('INVALID_CONDITION', { message: messages.conditions.notJson }))
  }
  const input: Record<string, unknown> = Array.isArray(json)
    ? { conditions: json }
    : typeof json === 'object' && json !== null
      ? { ...json }
      : {}
  const { chainType, conditions, aggregator } = parseConditions(input)
  if (chainType === 'RADIX') {
    throw asWorded(new CairnError('INVALID_CONDITION', { message: messages.conditions.notRadix }))
  }
  return toDraft(chainType, conditions, aggregator)
}

function toDraft(chainType: DraftChainType, list: readonly unknown[], aggregator: string): Draft {
  const conditions = list.flatMap((one) => (typeof one === 'object' && one !== null ? [{ ...one }] : []))
  const grouping = aggregator.replace(/[[\]]/g, '')
  for (const mode of ['all', 'any'] as const) {
    const draft: Draft = { chainType, conditions, mode, grouping }
    if (aggregator === '' || squeeze(aggregatorOf(draft)) === squeeze(aggregator)) return draft
  }
  return { chainType, conditions, mode: 'own', grouping }
}

const squeeze = (text: string) => text.replace(/\s+/g, ' ').trim().toLowerCase()

/** Errors by `conditions.{position}.{field}`, and the error of the grouping. Empty if a draft can be saved. */
export type DraftErrors = { fields: Readonly<Record<string, string>>; other: string | undefined }

/** Validates a draft by the rules of the key nodes, and checks that numbers are numbers. */
export function checkDraft(draft: Draft): DraftErrors {
  if (draft.conditions.length === 0) return { fields: {}, other: undefined }
  const numberErrors = checkNumbers(draft)
  try {
    parseConditions(toInput(draft))
    return { fields: numberErrors, other: undefined }
  } catch (error) {
    if (!CairnError.is(error, 'INVALID_CONDITION')) throw error
    const { rules = {}, ...set } = error.details
    const list = Object.entries(rules).flatMap(([name, value]) => {
      const rule = parseReason(value)
      return rule === undefined ? [] : [[name, describeRule(rule)]]
    })
    const rule = parseReason(set)
    return {
      fields: { ...numberErrors, ...Object.fromEntries(list) },
      other: list.length > 0 ? undefined : rule === undefined ? error.message : describeRule(rule),
    }
  }
}

/** Checks what the protocol accepts but a sentence does not: text in a number field, and addresses with a typo. */
function checkNumbers({ chainType, conditions }: Draft): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [position, condition] of conditions.entries()) {
    const name = findTemplate(chainType, condition)
    const typo = chainType === 'EVM' ? describeTypo([readText(condition, ['contractAddress'])]) : undefined
    if (typo !== undefined) fields[`conditions.${position}.contractAddress`] = typo
    const own: readonly SentenceField[] = name === undefined ? [] : Object.values(templates[name].fields)
    for (const { kind, path } of own) {
      if (!['amount', 'number', 'time'].includes(kind) || /^\d{1,78}$/.test(readText(condition, path))) continue
      const { notAmount, notWhole } = messages.conditions
      fields[`conditions.${position}.${path.join('.')}`] = kind === 'amount' ? notAmount : notWhole
    }
  }
  return fields
}

/** Describes the error of a field in the language of the page, for display next to the field. */
function describeRule({ reason, reasonFacts }: Reason): string {
  return joinSentences(capitalize(describeReason(reason, reasonFacts)), '')
}

/** Parses a grouping; undefined if it is invalid. */
export function readGrouping(draft: Draft): Expression | undefined {
  try {
    return parseAggregator(aggregatorOf(draft), idsOf(draft))
  } catch (error) {
    if (CairnError.is(error, 'INVALID_CONDITION')) return undefined
    throw error
  }
}
