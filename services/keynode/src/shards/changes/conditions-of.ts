import {
  type AccessCondition,
  CairnError,
  type ConditionField,
  type ConditionSet,
  familyOf,
  mapConditionFields,
  parseConditions,
  zeroAddress,
} from '@cairn/protocol'
import type { Caller, Context } from '../../context.ts'
import { countChainUse } from '../access/chain-rates.ts'
import { findRecord, type KeyRow } from '../store.ts'
import { changeRecord, nameChange, requireOwner } from './change-record.ts'
import { isLeftBy } from './ownerless.ts'
import { refuseRetired } from './retire.ts'
import { reseal } from './save.ts'

/** Returns the stored conditions of a record. */
export function conditionsOf({ conditions }: Pick<KeyRow, 'conditions'>): ConditionSet | undefined {
  // Only conditions that passed `parseConditions` were ever written.
  return conditions === null ? undefined : parseConditions(JSON.parse(conditions))
}

/**
 * Parses conditions of a call, and ensures that this node could ever check them. Chains are queried only for callers
 * who may set them.
 * @returns the conditions, with the ids of those that every value meets
 * @throws CairnError INVALID_CONDITION, CHAIN_NOT_SUPPORTED, CONDITION_UNKNOWN, ACCESS_DENIED, RATE_LIMITED
 */
export async function readConditions(
  context: Context,
  { caller, cid, ip }: { caller: Caller; cid: string; ip: string },
  input: Parameters<typeof parseConditions>[0],
  options: { allowEmpty?: boolean } = {},
): Promise<{ set: ConditionSet; openConditions: number[] }> {
  const set = parseConditions(input, options)
  const record = await findRecord(context.db.read, cid)
  // Whether the call repeats the one that made a key ownerless is checked with the change itself.
  if (record !== undefined && record.row.owner !== caller.address && record.row.owner !== zeroAddress)
    throw new CairnError('ACCESS_DENIED')
  if (set.conditions.length > 0) countChainUse(context, 'conditions', ip)
  return { set, openConditions: await context.conditions.validateOnCreate(set) }
}

/** Serialises conditions: the same text on every node. */
export function writeConditions({ decryptionType: _type, ...set }: ConditionSet): string {
  return JSON.stringify(set)
}

/**
 * Sets or removes conditions.
 * @param isOwnerless leaves only the conditions: the key has no owner any more, and its shares are removed
 * @throws CairnError ACCESS_DENIED, KEY_NOT_FOUND, KEY_RETIRED
 */
export function changeConditions(
  context: Context,
  caller: Caller,
  cid: string,
  conditions: string | null,
  { isOwnerless = false }: { isOwnerless?: boolean } = {},
) {
  const kind = 'conditions' as const
  const name = { kind, arguments: { removed: conditions === null, isOwnerless } }
  return changeRecord(context, cid, caller, name, async (record, trx) => {
    const change = { id: nameChange(caller, kind), by: caller.address, conditions }
    if (isOwnerless && (await isLeftBy(trx, record.row, change))) return 'same'
    requireOwner(record, caller)
    if (conditions !== null) refuseRetired(record)
    if (!isOwnerless) return { conditions }
    return { conditions, sharedTo: [], ...reseal(context, record, zeroAddress, record.row.version + 1) }
  })
}

/** Groups conditions by chain family, as published clients expect. */
export function listConditions(set: ConditionSet | undefined): Record<ConditionField, AccessCondition[]> {
  // Conditions on Radix, which no node reads, are listed with those on EVM.
  const family = set && (familyOf(set.chainType) ?? 'evm')
  return mapConditionFields((name) => (name === family ? [...(set?.conditions ?? [])] : []))
}
