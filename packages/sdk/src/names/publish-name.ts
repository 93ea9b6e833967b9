import type { NameRecord } from '@cairn/names'
import { CairnError, publishName as publishNameCall } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'
import { checkTimes } from './check-times.ts'
import { rememberRecord } from './known-names.ts'
import { loadTools } from './load-tools.ts'
import { bare, getName } from './names.ts'

export type PublishOptions = CallOptions & {
  /** How long the record is good for, in ms: a minute to a year, 48 hours unless told. */
  lifetimeMs?: number | undefined
  /** How long readers may keep it, in ms: up to a week, 5 minutes unless told. */
  ttlMs?: number | undefined
  /** Must be above all before; chosen so unless told. */
  sequence?: bigint | undefined
}

/**
 * Lets a name point to something, signed by the key that the service holds. The service renews the record before it ends.
 * What comes back is verified: the record is of this name and says what was asked for.
 * @param value a CID, a name, or `/ipfs/{cid}` or `/ipns/{name}` with or without a path
 * @throws CairnError INVALID_NAME, INVALID_NAME_VALUE, INVALID_REQUEST, NAME_NOT_FOUND, NAME_KEY_WITH_OWNER (see `publishSigned`),
 *   IPNS_RECORD_OUTDATED, INVALID_IPNS_RECORD
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
      message: 'The service published something else',
      details: { reason: 'value', value: verified.value },
    })
  }
  await rememberRecord(client, verified)
  return verified
}
