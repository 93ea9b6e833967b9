import type { NameRecord } from '@cairn/names'
import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { loadTools } from './load-tools.ts'

const maxNames = 10_000

/**
 * Stores a verified record, so that older ones are rejected.
 * @throws CairnError IPNS_RECORD_OUTDATED if a newer one is known; `details` has its sequence
 */
export async function rememberRecord({ knownNames }: Client, record: NameRecord): Promise<void> {
  const { isNewer } = await loadTools()
  const known = knownNames.get(record.name)
  if (known !== undefined && isNewer(known, record)) {
    // A record signed again with a later expiry is equivalent: services of one network may have either.
    if (known.sequence === record.sequence && known.value === record.value) return
    throw new CairnError('IPNS_RECORD_OUTDATED', {
      message: 'The service returned an older record of this name than one seen before',
      hint: 'The service lost or withholds the newer record. Use another service, or publish the name again.',
      details: { sequence: known.sequence.toString() },
    })
  }
  knownNames.delete(record.name)
  const [oldest] = knownNames.keys()
  if (knownNames.size >= maxNames && oldest !== undefined) knownNames.delete(oldest)
  const { value, sequence, validUntil } = record
  knownNames.set(record.name, { value, sequence, validUntil })
}
