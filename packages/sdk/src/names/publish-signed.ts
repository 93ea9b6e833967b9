import type { NameKey, NameRecord } from '@cairn/names'
import { CairnError, nameLifetimeMs, nameTtlMs, putRoutedName } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, describeCall, openResponse, readText, tryAgain } from '../request.ts'
import { checkTimes } from './check-times.ts'
import { rememberRecord } from './known-names.ts'
import { loadTools } from './load-tools.ts'
import { listNameHistory } from './name-history.ts'
import type { PublishOptions } from './publish-name.ts'
import { registerRecord } from './register-record.ts'
import { fetchRecord } from './resolve-name.ts'
import { takeTurn } from './take-turns.ts'

export type PublishSignedOptions = PublishOptions & {
  /** Puts the name on the account's list, under this label. Needs an API key. */
  label?: string | undefined
}

const sequenceMost = 2n ** 64n - 1n
/** Publications by others at the same time that are waited out. */
const triesMost = 20
/** How far a service may tell a signer to go without showing a record: it could else use up all the sequences there are. */
const unprovenStepMost = 1_000_000n
const answerBytesMost = 4096

/**
 * Lets a name point to something, signed on this machine: the key is never sent. With an API key, the name is put on the
 * account's list and gets a history; without, the record goes to the public routing call, and the service may keep it for as
 * long as it is good. Nobody but the owner can renew it: publish again before it ends.
 * @param value a CID, a name, or `/ipfs/{cid}` or `/ipns/{name}` with or without a path
 * @throws CairnError INVALID_NAME_VALUE, INVALID_REQUEST, IPNS_RECORD_OUTDATED (for a sequence that was asked for),
 *   NAME_LIMIT, STORAGE_FULL
 */
export async function publishSigned(
  client: Client,
  key: NameKey,
  value: string,
  { lifetimeMs = nameLifetimeMs, ttlMs = nameTtlMs, sequence: wanted, label, ...options }: PublishSignedOptions = {},
): Promise<NameRecord> {
  const { parseNameValue, requireOther } = await loadTools()
  checkTimes(lifetimeMs, ttlMs)
  const path = parseNameValue(value)
  requireOther(path, key.name)
  if (label !== undefined && client.apiKey === undefined) throw new CairnError('NO_API_KEY')
  const wish = { value: path, lifetimeMs, ttlMs: Math.min(ttlMs, lifetimeMs), wanted, label }
  return takeTurn(client.knownNames, key.name, options.signal, () => signAndSend(client, key, wish, options))
}

type Wish = {
  value: string
  lifetimeMs: number
  ttlMs: number
  wanted: bigint | undefined
  label: string | undefined
}

async function signAndSend(
  client: Client,
  key: NameKey,
  { wanted, label, ...wish }: Wish,
  options: CallOptions,
): Promise<NameRecord> {
  const { createRecord, readRecord } = await loadTools()
  let least = 0n
  for (let tries = 1; ; tries++) {
    const sequence = wanted ?? (await chooseSequence(client, key.name, least, options))
    const record = await readRecord(key.name, await createRecord(key, { ...wish, sequence }))
    try {
      await send(client, record, label, options)
      await rememberRecord(client, record)
      return record
    } catch (error) {
      if (wanted !== undefined || tries >= triesMost || !CairnError.is(error, 'IPNS_RECORD_OUTDATED')) throw error
      least = readStep(error, sequence)
    }
  }
}

/**
 * Above every sequence that is proven to be taken, and no less than the seconds since 1970, so that it is above those that
 * nobody remembers any more, too.
 */
async function chooseSequence(client: Client, name: string, least: bigint, options: CallOptions): Promise<bigint> {
  const taken = [await findTaken(client, name, options), client.knownNames.get(name)?.sequence]
  const seen = taken.flatMap((sequence) => (sequence === undefined ? [] : [sequence + 1n]))
  const next = [BigInt(Math.floor(Date.now() / 1000)), least, ...seen].reduce((a, b) => (a > b ? a : b))
  if (next <= sequenceMost) return next
  throw new CairnError('IPNS_RECORD_OUTDATED', {
    message: 'This name has had its last sequence',
    hint: 'No record can come after it: make a new name.',
  })
}

/** The sequence of the newest record that the service can show; of one that has ended only to its account. */
async function findTaken(client: Client, name: string, options: CallOptions): Promise<bigint | undefined> {
  try {
    return (await fetchRecord(client, name, options)).sequence
  } catch (error) {
    const isOlder = CairnError.is(error, 'IPNS_RECORD_OUTDATED')
    const isGone = CairnError.is(error, 'NAME_NOT_FOUND') || CairnError.is(error, 'NAME_EXPIRED')
    // What this client remembers is newer.
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

/** What the service says was taken, without showing it: believed as far as it does no harm. */
function readStep(error: CairnError, sequence: bigint): bigint {
  const said = error.details['sequence']
  if (typeof said !== 'string' || !/^\d{1,20}$/.test(said)) return sequence + 1n
  const next = BigInt(said) + 1n
  if (next > sequence + unprovenStepMost) throw error
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
  // The same record sent twice is no error.
  await tryAgain(async () => {
    const response = await openResponse(client, { ...described, headers, body: Uint8Array.from(bytes) })
    await readText(response, answerBytesMost, options.signal)
  }, options.signal)
}
