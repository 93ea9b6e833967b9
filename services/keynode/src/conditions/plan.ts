import {
  type AccessCondition,
  CairnError,
  type ConditionSet,
  type Conditions,
  conditionReason,
  conditionRule,
  familyOf,
  invalidConditionField,
  type Parameter,
  type Reason,
  type ReturnValueTest,
  zeroAddress,
} from '@cairn/protocol'
import type { ChainClient } from '@cairn/service'
import type { Chain, Chains, Family } from './chains.ts'
import { type Foregone, findForegone, findMismatch } from './compare.ts'
import { coreumFamily } from './coreum.ts'
import { evmFamily } from './evm.ts'
import { type Asker, namesUser, resolveExpected, resolveParameters } from './placeholders.ts'
import type { ChainFamily, ChainReader, Reading, ValueType } from './reader.ts'
import { solanaFamily } from './solana.ts'

/** One condition of an evaluation, of any family. */
export type Task = {
  condition: AccessCondition
  /** Tasks of low cost are read first. */
  cost: number
  /** Throws INVALID_CONDITION or CHAIN_NOT_SUPPORTED for errors that can be detected without querying a chain. */
  check(): void
  /** Whether every value passes the test, which is accepted and reported. */
  isOpen(): boolean
  /** Queries the chain for other reasons why the condition could never be read. */
  validate(): Promise<void>
  read(): Promise<Reading>
}

/** State shared by all tasks of one evaluation. */
export type Scope = Asker & {
  chains: Chains
  clock: { now(): number }
  signal: AbortSignal
  clientOf(chain: Chain): ChainClient
}

/** The supported families of chains. */
export const families: { readonly [Name in Family]: ChainFamily<Conditions[Uppercase<Name>]> } = {
  evm: evmFamily,
  solana: solanaFamily,
  coreum: coreumFamily,
}

function parametersOf(condition: AccessCondition): readonly Parameter[] {
  return 'parameters' in condition ? (condition.parameters ?? []) : []
}

function planFamily<Condition extends AccessCondition>(
  name: Family,
  family: ChainFamily<Condition>,
  conditions: readonly Condition[],
  scope: Scope,
): Task[] {
  const readers = new Map<Chain, ChainReader<Condition>>()
  const find = (condition: Condition) => scope.chains.find(name, condition.chain)
  const contextOf = (condition: Condition) => {
    const chain = find(condition)
    const { clock, signal, identity } = scope
    return { chain, client: scope.clientOf(chain), clock, signal, identity }
  }
  const readerOf = (condition: Condition): ChainReader<Condition> => {
    const context = contextOf(condition)
    const reader = readers.get(context.chain) ?? family.open(context)
    readers.set(context.chain, reader)
    return reader
  }
  return conditions.map((condition) => ({
    condition,
    cost: family.costOf(condition),
    check() {
      find(condition)
      const { test, type } = comparisonOf(family, condition)
      const foregone = findForegone(test, type)
      const rule =
        findMismatch(test, type) ??
        (foregone === undefined || foregone === 'open' ? undefined : ruleOfForegone(foregone, test, type))
      if (rule !== undefined) throw invalidConditionField(condition, 'returnValueTest', rule, ': ')
    },
    isOpen() {
      const { test, type } = comparisonOf(family, condition)
      return findForegone(test, type) === 'open'
    },
    validate: () => family.validate(condition, contextOf(condition)),
    async read() {
      const asksForUser =
        family.usesIdentity(condition) ||
        namesUser(parametersOf(condition)) ||
        namesUser(condition.returnValueTest.value)
      if (asksForUser && !family.isIdentity(scope.identity)) {
        return { kind: 'unresolved', ...conditionReason('ADDRESS_OF_ANOTHER_CHAIN') }
      }
      const resolved = resolveParameters(parametersOf(condition), condition.id, scope)
      if (resolved.kind === 'unresolved') return resolved
      try {
        return await readerOf(condition).read(condition, resolved.parameters)
      } catch (error) {
        // The chain was configured when the condition was set.
        if (CairnError.is(error, 'CHAIN_NOT_SUPPORTED'))
          return { kind: 'unknown', reason: error.message, reasonFacts: { code: error.code } }
        throw error
      }
    },
  }))
}

function comparisonOf<Condition extends AccessCondition>(family: ChainFamily<Condition>, condition: Condition) {
  const { comparator, value } = condition.returnValueTest
  return { test: { comparator, value: resolveExpected(value, zeroAddress) }, type: family.typeOf(condition) }
}

function ruleOfForegone(foregone: Exclude<Foregone, 'open'>, { comparator }: ReturnValueTest, type: ValueType): Reason {
  if (foregone === 'outside') return conditionRule('VALUE_OUT_OF_RANGE', { type })
  return conditionRule(foregone === 'always' ? 'ALWAYS_TRUE' : 'NEVER_TRUE', { comparator, type })
}

/**
 * Plans the reads of a set's conditions.
 *
 * @throws CHAIN_NOT_SUPPORTED for families that no node reads
 */
export function planSet(set: ConditionSet, scope: Scope): Task[] {
  const family = familyOf(set.chainType)
  if (family !== undefined && set.chainType !== 'RADIX') return planOf(family, set.conditions, scope)
  throw new CairnError('CHAIN_NOT_SUPPORTED', { details: { chains: scope.chains.names } })
}

function planOf<Name extends Family>(
  name: Name,
  conditions: readonly Conditions[Uppercase<Name>][],
  scope: Scope,
): Task[] {
  return planFamily(name, families[name], conditions, scope)
}
