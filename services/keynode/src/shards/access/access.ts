import { type AccessVerdict, CairnError, type ConditionSet } from '@cairn/protocol'
import type { Context } from '../../context.ts'
import { conditionsOf } from '../changes/conditions-of.ts'
import type { KeyRecord } from '../store.ts'
import { countChainUse } from './chain-rates.ts'

/** The reader, and their placeholder values. */
export type AccessQuestion = {
  /** Normalised address. */
  address: string
  /** Values for placeholders of conditions. */
  dynamicData: unknown
  signal?: AbortSignal
  /** IP address of the client, for which evaluations count, too. */
  ip: string
}

/**
 * Requires that an address may read: as owner, through a share, or because the conditions are met. Chains are queried
 * only when nothing else grants access.
 * @throws CairnError ACCESS_DENIED; CONDITION_UNKNOWN when a deciding chain does not answer; RATE_LIMITED
 */
export async function requireAccess(context: Context, record: KeyRecord, question: AccessQuestion): Promise<void> {
  if (record.row.owner === question.address) return
  if (record.row.state === 'retired') throw new CairnError('ACCESS_DENIED', { message: 'Access Denied' })
  if (record.sharedTo.includes(question.address)) return
  const set = conditionsOf(record.row)
  if (set === undefined) throw new CairnError('ACCESS_DENIED')
  countChainUse(context, 'evaluation', question.ip)
  const { isMet } = await context.conditions.check(set, question.address, question.dynamicData, question.signal)
  if (isMet === 'true') return
  throw new CairnError(isMet === 'unknown' ? 'CONDITION_UNKNOWN' : 'ACCESS_DENIED')
}

/**
 * Explains why an address may read or not.
 * @param askedBy the caller: owners ask about others without using up their evaluations
 * @throws CairnError RATE_LIMITED
 */
export async function explainRecord(
  context: Context,
  record: KeyRecord,
  { address, dynamicData, signal, ip }: AccessQuestion,
  askedBy: string,
): Promise<AccessVerdict> {
  const set = conditionsOf(record.row)
  if (set !== undefined) countChainUse(context, 'evaluation', ip)
  const checked =
    set === undefined ? undefined : await context.conditions.check(set, address, dynamicData, signal, askedBy)
  const by =
    record.row.owner === address
      ? 'owner'
      : record.row.state === 'retired'
        ? 'none'
        : record.sharedTo.includes(address)
          ? 'shared'
          : checked?.isMet === 'true'
            ? 'conditions'
            : 'none'
  return { isAllowed: by !== 'none', by, aggregator: aggregatorOf(set), conditions: checked?.results ?? [] }
}

/**
 * Evaluates unsaved conditions for an address.
 * @param askedBy address that the evaluation counts for
 * @throws CairnError INVALID_CONDITION, CHAIN_NOT_SUPPORTED, RATE_LIMITED
 */
export async function explainDraft(
  context: Context,
  set: ConditionSet,
  { address, dynamicData, signal, ip }: AccessQuestion,
  askedBy: string,
): Promise<AccessVerdict> {
  countChainUse(context, 'evaluation', ip)
  const { isMet, results } = await context.conditions.explain(set, address, dynamicData, signal, askedBy)
  const isAllowed = isMet === 'true'
  return { isAllowed, by: isAllowed ? 'conditions' : 'none', aggregator: aggregatorOf(set), conditions: results }
}

function aggregatorOf(set: ConditionSet | undefined): string | null {
  return set === undefined || set.aggregator === '' ? null : set.aggregator
}
