import type { NameRecord } from '@cairn/names'
import { CairnError, listNameRecords } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'
import { loadTools } from './load-tools.ts'
import { bare, getName } from './names.ts'

/** A past record of a name, verified; it may have expired since. */
export type PastRecord = NameRecord & {
  /** When the service accepted it, in ms since 1970, as the service claims. */
  readonly publishedAt: number
}

/**
 * Lists the past targets of a name of the account, newest first, in pages. Verifies each record, so the service can
 * omit records but not invent them.
 * @throws CairnError INVALID_NAME, NAME_NOT_FOUND, INVALID_IPNS_RECORD
 */
export async function* listNameHistory(
  client: Client,
  name: string,
  options?: CallOptions,
): AsyncGenerator<PastRecord, void, undefined> {
  const { decodeBase64, readName, readRecord } = await loadTools()
  const canonical = readName(bare(name)) ?? (await getName(client, name, options)).name
  const limit = 100
  let before: bigint | undefined
  for (;;) {
    const query = { limit: String(limit), ...(before === undefined ? {} : { before: before.toString() }) }
    const { records } = await call(client, listNameRecords, { params: { name: canonical }, query }, options)
    for (const { record, publishedAt } of records) {
      // Expiry does not matter here: at time 0, no record has expired.
      const past = await readRecord(canonical, decodeBase64(record), 0)
      // Sequences must decrease, so that a lying service cannot make the list endless.
      if (before !== undefined && past.sequence >= before) throw new CairnError('UNEXPECTED_RESPONSE')
      before = past.sequence
      yield { ...past, publishedAt }
    }
    if (records.length < limit) return
  }
}
