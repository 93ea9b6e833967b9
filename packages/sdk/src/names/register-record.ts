import { type NameState, registerName } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'
import { loadTools } from './load-tools.ts'
import { bare } from './names.ts'

/**
 * Puts a name on the account's list with a record that was signed before, such as one from a backup. Registering the same
 * record again has no effect.
 * @param record the signed record, as `NameRecord.bytes` has it
 * @throws CairnError INVALID_NAME, INVALID_LABEL, INVALID_IPNS_RECORD, IPNS_RECORD_EXPIRED, IPNS_RECORD_OUTDATED, NAME_LIMIT
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
