import * as v from 'valibot'
import { parseAggregator } from './aggregator.ts'
import { findCaseless, maxConditions } from './condition-parts.ts'
import {
  type CoreumCondition,
  coreumConditionSchema,
  type RadixCondition,
  radixConditionSchema,
} from './conditions-coreum.ts'
import { type EvmCondition, evmConditionSchema, evmContractTypes } from './conditions-evm.ts'
import { type SolanaCondition, solanaConditionSchema, solanaContractTypes } from './conditions-solana.ts'
import { describeRule } from './describe-issue.ts'
import { CairnError } from './error.ts'
import { isRecord } from './is-record.ts'

export const chainTypes = ['EVM', 'SOLANA', 'COREUM', 'RADIX'] as const
export type ChainType = (typeof chainTypes)[number]

/** `ADDRESS`: the owner, recipients, and anyone who meets the conditions. `ACCESS_CONDITIONS`: the conditions alone. */
export const decryptionTypes = ['ADDRESS', 'ACCESS_CONDITIONS'] as const
export type DecryptionType = (typeof decryptionTypes)[number]

export type AccessCondition = EvmCondition | SolanaCondition | CoreumCondition | RadixCondition

/** Conditions in stored form: validated, ids as numbers, keywords in canonical case. */
export type ConditionSet = {
  /** Combination of the conditions, as given; empty for a single one. */
  aggregator: string
  decryptionType?: DecryptionType
} & (
  | { chainType: 'EVM'; conditions: EvmCondition[] }
  | { chainType: 'SOLANA'; conditions: SolanaCondition[] }
  | { chainType: 'COREUM'; conditions: CoreumCondition[] }
  | { chainType: 'RADIX'; conditions: RadixCondition[] }
)

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
  if (type === undefined && (chainType === 'COREUM' || chainType === 'RADIX')) {
    return { ...condition, standardContractType: '' }
  }
  if (typeof type !== 'string' || (chainType !== 'EVM' && chainType !== 'SOLANA')) return condition
  const types = chainType === 'EVM' ? evmContractTypes : solanaContractTypes
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

type Checked = ConditionSet extends infer Set
  ? Set extends ConditionSet
    ? Pick<Set, 'chainType' | 'conditions'>
    : never
  : never

function readSet(chainType: ChainType, list: readonly unknown[]): Checked {
  if (chainType === 'EVM') return { chainType, conditions: readList(evmConditionSchema, list) }
  if (chainType === 'SOLANA') return { chainType, conditions: readList(solanaConditionSchema, list) }
  if (chainType === 'COREUM') return { chainType, conditions: readList(coreumConditionSchema, list) }
  return { chainType, conditions: readList(radixConditionSchema, list) }
}
