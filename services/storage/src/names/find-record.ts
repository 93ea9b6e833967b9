import { type NameRecord, parseName } from '@cairn/names'
import { CairnError } from '@cairn/protocol'
import { recordOf } from './accept-record.ts'
import type { NamesContext } from './names-context.ts'
import { findName } from './store.ts'

/**
 * Returns the newest known record of a name.
 * @throws CairnError INVALID_NAME, NAME_NOT_FOUND, NAME_EXPIRED
 */
export async function findRecord({ db, clock }: Pick<NamesContext, 'db' | 'clock'>, text: string): Promise<NameRecord> {
  const row = await findName(db.read, parseName(text))
  const record = row === undefined ? undefined : recordOf(row)
  if (record === undefined) throw new CairnError('NAME_NOT_FOUND')
  if (record.validUntil <= clock.now()) {
    throw new CairnError('NAME_EXPIRED', { details: { validUntil: record.validUntil } })
  }
  return record
}
