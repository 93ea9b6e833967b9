import { zeroAddress } from '@cairn/protocol'
import type { KeyRow, Trx } from './store.ts'

/** A change that leaves a record to its conditions. */
export type OwnerlessChange = { id: string; by: string; conditions: string | null | undefined }

/**
 * Whether a record was left to its conditions by this very change, so that the repeated call, which has no owner to be any
 * more, is the same change.
 */
export async function isLeftBy(trx: Trx, row: KeyRow, { id, by, conditions }: OwnerlessChange): Promise<boolean> {
  if (row.owner !== zeroAddress || row.conditions !== conditions) return false
  const made = trx.selectFrom('change').select('seq').where('cid', '=', row.cid).where('id', '=', id)
  return (await made.where('by_address', '=', by).executeTakeFirst()) !== undefined
}
