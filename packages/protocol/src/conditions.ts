import * as v from 'valibot'
import { parseAggregator } from './aggregator.ts'
import type { ChainFamilyName } from './chain-families.ts'
import { findCaseless, maxConditions } from './condition-parts.ts'
import { coreumConditionSchema, radixConditionSchema } from './conditions-coreum.ts'
import { evmConditionSchema, evmContractTypes } from './conditions-evm.ts'
import { solanaConditionSchema, solanaContractTypes } from './conditions-solana.ts'
import { describeRule } from './describe-issue.ts'
import { CairnError } from './error.ts'
import { isRecord } from './is-record.ts'

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

/** `ADDRESS`: the owner, recipients, and anyone who meets the conditions. `ACCESS_CONDITIONS`: the conditions alone. */
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

function refuse(reason: string, fields?: Record<string, string>): never {
  throw new CairnError('INVALID_CONDITION', {
    message: `Condition validation error: ${reason}`,
    ...(fields === undefined ? {} : { details: { fields } }),
  })
}

function readWord<const Words extends readonly [string, ...string[]]>(
  field: string,
  words: Words,
  value: unknown,
): Words[number] {
  const text = value === undefined || value === null || value === '' ? words[0] : value
  const word = words.find((each) => typeof text === 'string' && each.toLowerCase() === text.toLowerCase())
  return word ?? refuse(`"${field}" must be one of ${words.join(', ')}`)
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
  const problems: Record<string, string> = {}
  const conditions: Condition[] = []
  for (const [position, item] of list.entries()) {
    const result = v.safeParse(schema, item)
    if (result.success) conditions.push(result.output)
    else {
      const given = isRecord(item) && ['number', 'string'].includes(typeof item['id']) ? String(item['id']) : ''
      const name = given === '' || given.length > 32 ? `at position ${position + 1}` : given
      for (const issue of result.issues) {
        const field = v.getDotPath(issue)
        problems[`conditions.${position}${field === null ? '' : `.${field}`}`] ??= describe(issue, field, name)
      }
    }
  }
  const [first] = Object.values(problems)
  if (first !== undefined) return refuse(first, problems)
  const ids = new Set<number>()
  for (const { id } of conditions) {
    if (ids.has(id)) return refuse(`"id" ${id} is used by more than one condition`)
    ids.add(id)
  }
  return conditions
}

function describe(issue: v.BaseIssue<unknown>, field: string | null, name: string): string {
  const isMissing = issue.kind === 'schema' && issue.received === 'undefined'
  const reason = isMissing ? 'is required' : describeRule(issue)
  return `${field === null ? '' : `"${field}" of `}condition ${name} ${reason}`
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
  if (!Array.isArray(input.conditions)) return refuse('"conditions" must be an array')
  const given: readonly unknown[] = input.conditions
  if (given.length === 0 && options.allowEmpty !== true) return refuse('"conditions" must contain at least 1 items')
  if (given.length > maxConditions) return refuse(`"conditions" must contain at most ${maxConditions} items`)
  if (given.length === 0 && decryptionType === 'ACCESS_CONDITIONS')
    return refuse('"conditions" must contain at least 1 items when decryptionType is ACCESS_CONDITIONS')
  const list = given.map((condition) => canonicalize(chainType, condition))
  const checked = readSet(chainType, list)
  const aggregator = input.aggregator ?? ''
  if (typeof aggregator !== 'string') return refuse('"aggregator" must be a string')
  if (list.length === 0) return { ...checked, aggregator: '', decryptionType }
  if (list.length > 1 && aggregator.trim() === '') return refuse('"aggregator" is required')
  if (list.length > 1 && !/ and | or /i.test(aggregator)) {
    return refuse('"aggregator" must contain " and " or " or "')
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
