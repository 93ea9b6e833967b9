import type { NameRecord } from '@cairn/names'
import { CairnError, listNameRecords } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'
import { loadTools } from './load-tools.ts'
import { bare, getName } from './names.ts'

/** A record that a name had, verified; it may have ended since. */
export type PastRecord = NameRecord & {
  /** When the service took it, ms since 1970: the service's word. */
  readonly publishedAt: number
}

/**
 * What a name of the account pointed to, newest first, in pages. Each record is verified here, so the service can leave some
 * out, but make none up.
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
      // Whether it has ended does not matter here: at the beginning of time, none has.
      const past = await readRecord(canonical, decodeBase64(record), 0)
      // A history without an end would come again and again.
      if (before !== undefined && past.sequence >= before) throw new CairnError('UNEXPECTED_RESPONSE')
      before = past.sequence
      yield { ...past, publishedAt }
    }
    if (records.length < limit) return
  }
}
