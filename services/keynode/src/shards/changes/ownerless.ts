import { zeroAddress } from '@cairn/protocol'
import type { KeyRow, Trx } from '../store.ts'

/** A change that makes a record ownerless. */
export type OwnerlessChange = { id: string; by: string; conditions: string | null | undefined }

/**
 * Whether this exact change made a record ownerless, so that the repeated call, which no longer has an owner, is
 * recognised.
 */
export async function isLeftBy(trx: Trx, row: KeyRow, { id, by, conditions }: OwnerlessChange): Promise<boolean> {
  if (row.owner !== zeroAddress || row.conditions !== conditions) return false
  const made = trx.selectFrom('change').select('seq').where('cid', '=', row.cid).where('id', '=', id)
  return (await made.where('by_address', '=', by).executeTakeFirst()) !== undefined
}
