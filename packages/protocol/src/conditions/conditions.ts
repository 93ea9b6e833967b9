import * as v from 'valibot'
import type { ChainFamilyName } from '../networks/chain-families.ts'
import { fieldRule } from '../reasons/field-rules.ts'
import { findRule } from '../reasons/find-rule.ts'
import type { Reason } from '../reasons/reason.ts'
import { isRecord } from '../shared/is-record.ts'
import { parseAggregator } from './aggregator.ts'
import { coreumConditionSchema, radixConditionSchema } from './coreum.ts'
import { evmConditionSchema, evmContractTypes } from './evm.ts'
import { invalidCondition, type Place } from './invalid-condition.ts'
import { findCaseless, maxConditions } from './parts.ts'
import { conditionRule } from './rules.ts'
import { solanaConditionSchema, solanaContractTypes } from './solana.ts'

export const chainTypes = ['EVM', 'SOLANA', 'COREUM', 'RADIX'] as const
export type ChainType = (typeof chainTypes)[number]

/** The form of conditions, by family. */
const schemas = {
  EVM: evmConditionSchema,
  SOLANA: solanaConditionSchema,
  COREUM: coreumConditionSchema,
  RADIX: radixConditionSchema,
} satisfies Record<ChainType | Uppercase<ChainFamilyName>, unknown>
export type Conditions = { [Type in ChainType]: v.InferOutput<(typeof schemas)[Type]> }

/** Spellings of `standardContractType` by family; others keep theirs, and may omit it. */
const contractTypes: Partial<Record<ChainType, readonly string[]>> = {
  EVM: evmContractTypes,
  SOLANA: solanaContractTypes,
}

/**
 * `ADDRESS`: the owner, recipients, and anyone who meets the conditions. `ACCESS_CONDITIONS`: only those who meet the conditions.
 */
export const decryptionTypes = ['ADDRESS', 'ACCESS_CONDITIONS'] as const
export type DecryptionType = (typeof decryptionTypes)[number]

export type AccessCondition = Conditions[ChainType]

/** Conditions in stored form: validated, ids as numbers, keywords in canonical case. */
export type ConditionSet = {
  /** Combination of the conditions, as given; empty for a single one. */
  aggregator: string
  decryptionType?: DecryptionType
} & Checked

type Checked = { [Type in ChainType]: { chainType: Type; conditions: Conditions[Type][] } }[ChainType]

/** @throws CairnError INVALID_CONDITION about a field of the set */
function refuse(field: string, rule: Reason): never {
  throw invalidCondition(`"${field}" ${rule.reason}`, rule, { field })
}

function readWord<const Words extends readonly [string, ...string[]]>(
  field: string,
  words: Words,
  value: unknown,
): Words[number] {
  const text = value === undefined || value === null || value === '' ? words[0] : value
  const word = words.find((each) => typeof text === 'string' && each.toLowerCase() === text.toLowerCase())
  return word ?? refuse(field, conditionRule('NOT_ONE_OF', { names: words.join(', ') }))
}

/** Converts keywords that may be in any case, or absent, to the exact forms that distinguish the variants. */
function canonicalize(chainType: ChainType, condition: unknown): unknown {
  if (!isRecord(condition)) return condition
  const type = condition['standardContractType']
  const types = contractTypes[chainType]
  if (types === undefined) return type === undefined ? { ...condition, standardContractType: '' } : condition
  if (typeof type !== 'string') return condition
  return { ...condition, standardContractType: findCaseless(types, type) }
}

function readList<Condition extends AccessCondition>(
  schema: v.GenericSchema<unknown, Condition>,
  list: readonly unknown[],
): Condition[] {
  const problems: Record<string, Problem> = {}
  const conditions: Condition[] = []
  for (const [position, item] of list.entries()) {
    if (!isRecord(item)) {
      const rule = fieldRule('NOT_AN_OBJECT')
      const place = { field: undefined, position: position + 1, condition: undefined }
      problems[`conditions.${position}`] = {
        ...rule,
        sentence: `condition at position ${position + 1} ${rule.reason}`,
        place,
      }
      continue
    }
    const result = v.safeParse(schema, item)
    if (result.success) conditions.push(result.output)
    else {
      for (const issue of result.issues) {
        const field = v.getDotPath(issue) ?? undefined
        problems[`conditions.${position}${field === undefined ? '' : `.${field}`}`] ??= describe(issue, {
          field,
          item,
          position: position + 1,
        })
      }
    }
  }
  const [first] = Object.values(problems)
  if (first !== undefined) throw invalidCondition(first.sentence, first, first.place, problems)
  const ids = new Set<number>()
  for (const { id } of conditions) {
    if (ids.has(id)) return refuse('id', conditionRule('ID_REPEATED', { id }))
    ids.add(id)
  }
  return conditions
}

type Problem = Reason & { sentence: string; place: Place }

function describe(
  issue: v.BaseIssue<unknown>,
  { field, item, position }: { field: string | undefined; item: unknown; position: number },
): Problem {
  const given = isRecord(item) && ['number', 'string'].includes(typeof item['id']) ? String(item['id']) : ''
  const isShown = given !== '' && given.length <= 32
  const id = Number(given)
  const isMissing = issue.kind === 'schema' && issue.received === 'undefined'
  const rule = isMissing ? fieldRule('FIELD_REQUIRED') : (findRule(issue) ?? fieldRule('FIELD_NOT_ALLOWED'))
  const name = isShown ? given : `at position ${position}`
  return {
    ...rule,
    sentence: `${field === undefined ? '' : `"${field}" of `}condition ${name} ${rule.reason}`,
    place: { field, position, condition: isShown && Number.isFinite(id) ? id : undefined },
  }
}

/**
 * Validates the conditions of a call: `conditions` (1 to 10, ids unique), `aggregator`, `chainType` and
 * `decryptionType` (any case, with their defaults). Ignores other keys of the input; rejects unknown keys of a
 * condition.
 * @param options.allowEmpty whether an empty list is valid; published clients send one to remove conditions
 * @throws INVALID_CONDITION `Condition validation error: …` with the field and the id; `details` has all problems by
 *   field
 */
export function parseConditions(
  input: { conditions?: unknown; aggregator?: unknown; chainType?: unknown; decryptionType?: unknown },
  options: { allowEmpty?: boolean } = {},
): ConditionSet {
  const chainType = readWord('chainType', chainTypes, input.chainType)
  const decryptionType = readWord('decryptionType', decryptionTypes, input.decryptionType)
  if (!Array.isArray(input.conditions)) return refuse('conditions', conditionRule('CONDITIONS_NOT_AN_ARRAY'))
  const given: readonly unknown[] = input.conditions
  if (given.length === 0 && options.allowEmpty !== true)
    return refuse('conditions', conditionRule('CONDITIONS_TOO_FEW', { limit: 1 }))
  if (given.length > maxConditions)
    return refuse('conditions', conditionRule('CONDITIONS_TOO_MANY', { limit: maxConditions }))
  if (given.length === 0 && decryptionType === 'ACCESS_CONDITIONS')
    return refuse('conditions', conditionRule('CONDITIONS_REQUIRED'))
  const list = given.map((condition) => canonicalize(chainType, condition))
  const checked = readSet(chainType, list)
  const aggregator = input.aggregator ?? ''
  if (typeof aggregator !== 'string') return refuse('aggregator', fieldRule('NOT_A_STRING'))
  if (list.length === 0) return { ...checked, aggregator: '', decryptionType }
  if (list.length > 1 && aggregator.trim() === '') return refuse('aggregator', fieldRule('FIELD_REQUIRED'))
  if (list.length > 1 && !/ and | or /i.test(aggregator)) {
    return refuse('aggregator', conditionRule('AGGREGATOR_WITHOUT_JOIN'))
  }
  parseAggregator(
    aggregator,
    checked.conditions.map(({ id }) => id),
  )
  return { ...checked, aggregator: aggregator.trim(), decryptionType }
}

function readSet(chainType: ChainType, list: readonly unknown[]): Checked {
  if (chainType === 'EVM') return { chainType, conditions: readList(schemas.EVM, list) }
  if (chainType === 'SOLANA') return { chainType, conditions: readList(schemas.SOLANA, list) }
  if (chainType === 'COREUM') return { chainType, conditions: readList(schemas.COREUM, list) }
  return { chainType, conditions: readList(schemas.RADIX, list) }
}
