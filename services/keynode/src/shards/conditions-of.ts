import { type AccessCondition, type ConditionSet, parseConditions } from '@cairn/protocol'
import type { Caller, Context } from '../context.ts'
import { changeRecord, requireOwner } from './change-record.ts'
import type { KeyRow } from './store.ts'

/** The conditions of a record, as they are kept. */
export function conditionsOf({ conditions }: Pick<KeyRow, 'conditions'>): ConditionSet | undefined {
  // Only what passed `parseConditions` was ever written.
  return conditions === null ? undefined : parseConditions(JSON.parse(conditions))
}

/** Reads conditions from a call and makes sure that this node could ever check them. @throws CairnError INVALID_CONDITION, CHAIN_NOT_SUPPORTED, CONDITION_UNKNOWN */
export async function readConditions(
  context: Context,
  input: Parameters<typeof parseConditions>[0],
): Promise<ConditionSet> {
  const set = parseConditions(input)
  await context.conditions.validateOnCreate(set)
  return set
}

/** What is kept of conditions: the same text on every node. */
export function writeConditions({ decryptionType: _type, ...set }: ConditionSet): string {
  return JSON.stringify(set)
}

/** Sets or removes conditions. @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND */
export function changeConditions(context: Context, caller: Caller, cid: string, conditions: string | null) {
  const name = { kind: 'conditions' as const, arguments: { removed: conditions === null } }
  return changeRecord(context, cid, caller, name, (record) => {
    requireOwner(record, caller)
    return { conditions }
  })
}

/** Conditions by the family of their chains, as published clients read them. */
export function listConditions(set: ConditionSet | undefined): {
  conditions: AccessCondition[]
  conditionsSolana: AccessCondition[]
  conditionsCoreum: AccessCondition[]
} {
  const all: AccessCondition[] = [...(set?.conditions ?? [])]
  const of = (type: string) => (set?.chainType === type ? all : [])
  return {
    conditions: [...of('EVM'), ...of('RADIX')],
    conditionsSolana: of('SOLANA'),
    conditionsCoreum: of('COREUM'),
  }
}
