import type { NameRecord } from '@cairn/names'
import { CairnError, publishName as publishNameCall } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'
import { checkTimes } from './check-times.ts'
import { rememberRecord } from './known-names.ts'
import { loadTools } from './load-tools.ts'
import { bare, getName } from './names.ts'

export type PublishOptions = CallOptions & {
  /**
   * Lifetime of the record in ms: a minute to a year.
   * @defaultValue 48 hours
   */
  lifetimeMs?: number | undefined
  /**
   * Time in ms that readers may cache it: up to a week.
   * @defaultValue 5 minutes
   */
  ttlMs?: number | undefined
  /** Must exceed all previous ones. Chosen automatically by default. */
  sequence?: bigint | undefined
}

/**
 * Points a name to a value, signed with the key that the service stores. The service renews the record before it
 * expires. The returned record is verified: it belongs to this name and has the requested value.
 * @param value a CID, a name, or `/ipfs/{cid}` or `/ipns/{name}` with or without a path
 * @throws CairnError INVALID_NAME, INVALID_NAME_VALUE, INVALID_REQUEST, NAME_NOT_FOUND, NAME_KEY_WITH_OWNER (see
 *   `publishSigned`), IPNS_RECORD_OUTDATED, INVALID_IPNS_RECORD
 */
export async function publishName(
  client: Client,
  name: string,
  value: string,
  { lifetimeMs, ttlMs, sequence, ...options }: PublishOptions = {},
): Promise<NameRecord> {
  const { decodeBase64, parseNameValue, readName, readRecord, requireOther } = await loadTools()
  const path = parseNameValue(value)
  checkTimes(lifetimeMs, ttlMs)
  const canonical = readName(bare(name)) ?? (await getName(client, name, options)).name
  requireOther(path, canonical)
  const body = {
    value: path,
    ...(lifetimeMs === undefined ? {} : { lifetimeMs }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(sequence === undefined ? {} : { sequence: sequence.toString() }),
  }
  const { record } = await call(client, publishNameCall, { params: { name: canonical }, body }, options)
  const verified = await readRecord(canonical, decodeBase64(record))
  if (verified.value !== path) {
    throw new CairnError('INVALID_IPNS_RECORD', {
      message: 'The service published a different value',
      details: { reason: 'value', value: verified.value },
    })
  }
  await rememberRecord(client, verified)
  return verified
}
