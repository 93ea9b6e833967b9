import type { NameRecord } from '@cairn/names'
import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { loadTools } from './load-tools.ts'

/** What is remembered of the newest record seen of each name, by its canonical form. */
export type KnownNames = Map<string, Pick<NameRecord, 'value' | 'sequence' | 'validUntil'>>

const namesMost = 10_000

/**
 * Remembers a verified record, so that no older one is believed afterwards.
 * @throws CairnError IPNS_RECORD_OUTDATED where a newer one was seen; details has its sequence
 */
export async function rememberRecord({ knownNames }: Client, record: NameRecord): Promise<void> {
  const { isNewer } = await loadTools()
  const known = knownNames.get(record.name)
  if (known !== undefined && isNewer(known, record)) {
    // One that was signed again with a later end says the same: services in one network may have either.
    if (known.sequence === record.sequence && known.value === record.value) return
    throw new CairnError('IPNS_RECORD_OUTDATED', {
      message: 'An older record of this name was given than one that was seen before',
      hint: 'The service lost or hides the newer one. Ask another, or publish the name again.',
      details: { sequence: known.sequence.toString() },
    })
  }
  knownNames.delete(record.name)
  const [oldest] = knownNames.keys()
  if (knownNames.size >= namesMost && oldest !== undefined) knownNames.delete(oldest)
  const { value, sequence, validUntil } = record
  knownNames.set(record.name, { value, sequence, validUntil })
}
