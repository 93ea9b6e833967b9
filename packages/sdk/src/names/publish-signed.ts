import type { NameKey, NameRecord } from '@cairn/names'
import { CairnError, nameLifetimeMs, nameTtlMs, putRoutedName } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, describeCall, openResponse, readText, tryAgain } from '../request.ts'
import { checkTimes } from './check-times.ts'
import { rememberRecord } from './known-names.ts'
import { loadTools } from './load-tools.ts'
import { listNameHistory } from './name-history.ts'
import { bare } from './names.ts'
import type { PublishOptions } from './publish-name.ts'
import { registerRecord } from './register-record.ts'
import { fetchRecord } from './resolve-name.ts'
import { runExclusive } from './run-exclusive.ts'

export type PublishSignedOptions = PublishOptions & {
  /** The name that is meant, in any form: the key of another one is refused. */
  name?: string | undefined
  /** Adds the name to the list of the account under this label. Requires an API key. */
  label?: string | undefined
}

const maxSequence = 2n ** 64n - 1n
/** Maximum number of attempts while others publish concurrently. */
const maxTries = 20
/**
 * Maximum step to a sequence that a service claims without showing a record: a liar could otherwise exhaust all
 * sequences.
 */
const maxUnprovenStep = 1_000_000n
const maxAnswerBytes = 4096

/**
 * Points a name to a value, signed on this machine: the key is never sent. With an API key, the name joins the list of
 * the account and has a history; without one, the record goes to the public routing call, and the service may store it
 * until it expires. Only the owner can renew it: publish again before it expires.
 * @param value a CID, a name, or `/ipfs/{cid}` or `/ipns/{name}` with or without a path
 * @throws CairnError INVALID_NAME_VALUE, INVALID_REQUEST, INVALID_NAME and INVALID_NAME_KEY (for an explicit name),
 *   IPNS_RECORD_OUTDATED (for an explicit sequence), NAME_LIMIT, STORAGE_FULL
 */
export async function publishSigned(
  client: Client,
  key: NameKey,
  value: string,
  {
    lifetimeMs = nameLifetimeMs,
    ttlMs = nameTtlMs,
    sequence: wanted,
    label,
    name,
    ...options
  }: PublishSignedOptions = {},
): Promise<NameRecord> {
  const { parseNameValue, requireKeyOf, requireOther } = await loadTools()
  if (name !== undefined) requireKeyOf(bare(name), key)
  checkTimes(lifetimeMs, ttlMs)
  const path = parseNameValue(value)
  requireOther(path, key.name)
  if (label !== undefined && client.apiKey === undefined) throw new CairnError('NO_API_KEY')
  const draft = { value: path, lifetimeMs, ttlMs: Math.min(ttlMs, lifetimeMs), wanted, label }
  return runExclusive(client.knownNames, key.name, options.signal, () => signAndSend(client, key, draft, options))
}

type RecordDraft = {
  value: string
  lifetimeMs: number
  ttlMs: number
  wanted: bigint | undefined
  label: string | undefined
}

async function signAndSend(
  client: Client,
  key: NameKey,
  { wanted, label, ...draft }: RecordDraft,
  options: CallOptions,
): Promise<NameRecord> {
  const { createRecord, readRecord } = await loadTools()
  let minSequence = 0n
  for (let tries = 1; ; tries++) {
    const sequence = wanted ?? (await chooseSequence(client, key.name, minSequence, options))
    const record = await readRecord(key.name, await createRecord(key, { ...draft, sequence }))
    try {
      await send(client, record, label, options)
      await rememberRecord(client, record)
      return record
    } catch (error) {
      if (wanted !== undefined || tries >= maxTries || !CairnError.is(error, 'IPNS_RECORD_OUTDATED')) throw error
      minSequence = readStep(error, sequence)
    }
  }
}

/**
 * Returns a sequence above every proven one, and at least the seconds since 1970, so that it also exceeds those that no
 * service stores any more.
 */
async function chooseSequence(
  client: Client,
  name: string,
  minSequence: bigint,
  options: CallOptions,
): Promise<bigint> {
  const taken = [await findTaken(client, name, options), client.knownNames.get(name)?.sequence]
  const seen = taken.flatMap((sequence) => (sequence === undefined ? [] : [sequence + 1n]))
  const next = [BigInt(Math.floor(Date.now() / 1000)), minSequence, ...seen].reduce((a, b) => (a > b ? a : b))
  if (next <= maxSequence) return next
  throw new CairnError('IPNS_RECORD_OUTDATED', {
    message: 'The name has reached its highest sequence number',
    hint: 'No further record is possible. Create a new name.',
  })
}

/** Returns the sequence of the newest record that the service can show; it shows an expired one only to its account. */
async function findTaken(client: Client, name: string, options: CallOptions): Promise<bigint | undefined> {
  try {
    return (await fetchRecord(client, name, options)).sequence
  } catch (error) {
    const isOlder = CairnError.is(error, 'IPNS_RECORD_OUTDATED')
    const isGone = CairnError.is(error, 'NAME_NOT_FOUND') || CairnError.is(error, 'NAME_EXPIRED')
    // This client knows a newer record.
    if (isOlder) return undefined
    if (!isGone) throw error
  }
  if (client.apiKey === undefined) return undefined
  try {
    for await (const { sequence } of listNameHistory(client, name, options)) return sequence
  } catch (error) {
    if (!CairnError.is(error, 'NAME_NOT_FOUND')) throw error
  }
  return undefined
}

/** The sequence that the service claims without a record: accepted within a limit. */
function readStep(error: CairnError<'IPNS_RECORD_OUTDATED'>, sequence: bigint): bigint {
  const claimed = error.details.sequence
  if (claimed === undefined || !/^\d{1,20}$/.test(claimed)) return sequence + 1n
  const next = BigInt(claimed) + 1n
  if (next > sequence + maxUnprovenStep) throw error
  return next > sequence ? next : sequence + 1n
}

async function send(
  client: Client,
  { name, bytes }: NameRecord,
  label: string | undefined,
  options: CallOptions,
): Promise<void> {
  if (client.apiKey !== undefined) {
    await registerRecord(client, name, bytes, { label, ...options })
    return
  }
  const described = describeCall(client, putRoutedName, { params: { name } }, options)
  const headers = { 'content-type': 'application/vnd.ipfs.ipns-record' }
  // Sending the same record twice is not an error.
  await tryAgain(async () => {
    const response = await openResponse(client, { ...described, headers, body: Uint8Array.from(bytes) })
    await readText(response, maxAnswerBytes, options.signal)
  }, options.signal)
}
