import { type NameState, registerName } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'
import { loadTools } from './load-tools.ts'
import { bare } from './names.ts'

/**
 * Adds a name to the list of the account with an already signed record, such as one from a backup. Idempotent.
 * @param record the signed record, as in `NameRecord.bytes`
 * @throws CairnError INVALID_NAME, INVALID_LABEL, INVALID_IPNS_RECORD, IPNS_RECORD_EXPIRED, IPNS_RECORD_OUTDATED,
 *   NAME_LIMIT
 */
export async function registerRecord(
  client: Client,
  name: string,
  record: Uint8Array,
  { label, ...options }: CallOptions & { label?: string | undefined } = {},
): Promise<NameState> {
  const { encodeBase64 } = await loadTools()
  const body = { record: encodeBase64(record), ...(label === undefined ? {} : { label }) }
  return call(client, registerName, { params: { name: bare(name) }, body }, options)
}
