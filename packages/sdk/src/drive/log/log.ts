import { CairnError, type DrivePart, getDrive, MIB, maxDriveBytes, maxDriveParts, putDrivePart } from '@cairn/protocol'
import { base32 } from 'multiformats/bases/base32'
import { decodeBase64, encodeBase64 } from '../../base64.ts'
import type { Client } from '../../client.ts'
import { sessionOf } from '../../keys/call-with-session.ts'
import { getConditions } from '../../keys/get-conditions.ts'
import { getKey } from '../../keys/get-key.ts'
import { prepareKey, saveKey } from '../../keys/save-key.ts'
import { type CallOptions, call, pause } from '../../request.ts'
import {
  createTip,
  derivePartKey,
  firstTip,
  openPart,
  type PartHeader,
  readHeader,
  sealPart,
  type Tip,
} from './part.ts'
import {
  applyChange,
  type Change,
  changeBytes,
  createRegisters,
  isReadable,
  keepLive,
  splitChanges,
} from './registers.ts'

/** What a device remembers of a drive, to recognise an older one: the newest revision that it saw. */
export type KnownDrive = { keyCid: string; revision: number; tip: Tip }

/** A drive as this device knows it. */
export type DriveLog = {
  key: { cid: string; parts: CryptoKey } | undefined
  revision: number
  tip: Tip
  partCount: number
  /** Size of the parts read and written, in bytes. */
  sizeBytes: number
  /** What the last merge of this device left. */
  merged: { partCount: number; sizeBytes: number }
}

type Received = { header: PartHeader; bytes: Uint8Array<ArrayBuffer> }

/** Maximum size of the content of a part as JSON: it fits into a part even if it does not compress. */
const maxContentBytes = 900 * 1024
/** Parts, and bytes, from which on a client merges. */
const mergeFromParts = maxDriveParts / 4
const mergeFromBytes = maxDriveBytes / 2
/** Growth since the last merge, and distance from the limits, in parts and in bytes, from which on a client merges again. */
const mergeStepParts = 16
const mergeStepBytes = MIB / 2
/** Tips of merged changes that a part keeps, so that devices that saw one of them recognise it. */
const keptTips = 256
/** Attempts to append a change while other devices append theirs, and the maximum pause between attempts. */
const maxAttempts = 40
const pauseMs = 150

export function createLog(): DriveLog {
  const merged = { partCount: 0, sizeBytes: 0 }
  return { key: undefined, revision: 0, tip: firstTip, partCount: 0, sizeBytes: 0, merged }
}

/** Returns what to remember of a drive; undefined for one without a change. */
export function toKnown({ key, revision, tip }: DriveLog): KnownDrive | undefined {
  return key === undefined || revision === 0 ? undefined : { keyCid: key.cid, revision, tip }
}

/**
 * Reads the changes after the revision of a log, and advances the log.
 * @param known what this device remembers of an earlier run
 * @throws CairnError VERIFICATION_FAILED (an older drive, or parts that do not fit), DECRYPTION_FAILED, ACCESS_DENIED,
 *   UNEXPECTED_RESPONSE, and those of `getKey`
 */
export async function readChanges(
  client: Client,
  log: DriveLog,
  known: KnownDrive | undefined,
  options: CallOptions,
): Promise<Change[]> {
  const { revision, received } = await fetchParts(client, log.revision, options)
  const newest = toKnown(log) ?? known
  if (newest !== undefined && revision < newest.revision) throw outdated(newest.revision, revision)
  const [first] = received
  if (first === undefined) {
    if (revision !== log.revision) throw doesNotFit('parts are missing')
    return []
  }
  requireChain(received, revision, log)
  if (newest !== undefined && newest.keyCid !== first.header.keyCid) throw doesNotFit('it has another key')
  const key = log.key ?? (await openKey(client, first.header.keyCid, known, options))
  const tips = new Map<number, Tip>()
  const changes: Change[] = []
  for (const { header, bytes } of received) {
    const content = await openPart(key.parts, bytes)
    changes.push(...content.changes)
    for (const [at, tip] of tipsOf(header, content.tips)) tips.set(at, tip)
  }
  if (newest !== undefined) {
    const tip = newest.revision < first.header.first ? first.header.before : tips.get(newest.revision)
    // A part that merged very many changes keeps the tips of the newest.
    if (tip !== undefined && tip !== newest.tip) throw doesNotFit('a change that this device saw is missing')
  }
  log.key = key
  log.revision = revision
  log.tip = received.at(-1)?.header.after ?? log.tip
  log.partCount += received.length
  log.sizeBytes += received.reduce((sum, { bytes }) => sum + bytes.length, 0)
  return changes
}

/** How changes are appended. */
type AppendOptions = CallOptions & {
  /** What this device remembers of an earlier run. */
  known?: KnownDrive | undefined
  /** Receives the changes of other devices. */
  onChanges: (changes: Change[]) => void
  /** Does not try again, so that the caller can decide by the changes of other devices. */
  isConditional?: boolean
}

/**
 * Appends changes, as one part if they fit. If other devices were faster, reads their changes first and tries again.
 * @throws CairnError CONFLICT, FORBIDDEN (limits, scope), INVALID_REQUEST for values that no device reads, PRECONDITION_FAILED for
 *   a conditional change, and those of {@link readChanges}
 */
export async function appendChanges(
  client: Client,
  log: DriveLog,
  changes: readonly Change[],
  options: AppendOptions,
): Promise<void> {
  // One such part would make the drive permanently unreadable, on all devices.
  if (!isReadable(changes)) {
    throw new CairnError('INVALID_REQUEST', {
      message: 'The change has a value that no device could read',
      hint: 'Use shorter names, and check the clock of this device.',
    })
  }
  for (const list of splitChanges(changes, maxContentBytes)) {
    await appendPart(client, log, list, options)
  }
}

async function appendPart(
  client: Client,
  log: DriveLog,
  changes: Change[],
  { known, onChanges, isConditional = false, ...options }: AppendOptions,
): Promise<void> {
  const created = log.key === undefined ? await createKey(client, options) : undefined
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const key = log.key ?? created
    if (key === undefined) throw new CairnError('INTERNAL')
    const revision = log.revision + 1
    const header = { first: revision, last: revision, before: log.tip, after: createTip(), keyCid: key.cid }
    const part = await sealPart(key.parts, header, { changes, tips: [] })
    try {
      await putPart(client, log.revision, header, part, options)
      Object.assign(log, {
        key,
        revision,
        tip: header.after,
        partCount: log.partCount + 1,
        sizeBytes: log.sizeBytes + part.length,
      })
      return
    } catch (error) {
      if (isConditional || !CairnError.is(error, 'PRECONDITION_FAILED')) throw error
    }
    if (attempt > 1) await pause(Math.random() * pauseMs, options.signal)
    const others = await readChanges(client, log, known, options)
    onChanges(others)
    // The response to an earlier attempt was lost: the change is stored.
    if (isAmong(changes, others)) return
  }
  throw new CairnError('CONFLICT', { message: 'Other devices keep changing the drive' })
}

function isAmong(changes: readonly Change[], others: readonly Change[]): boolean {
  const stored = new Set(others.map((change) => JSON.stringify(change)))
  return changes.every((change) => stored.has(JSON.stringify(change)))
}

/** Whether to merge parts. A merge reads the whole drive, and a very large one may not become smaller. */
export function needsMerge({ partCount, sizeBytes, merged }: DriveLog): boolean {
  const isLarge = partCount >= mergeFromParts || sizeBytes >= mergeFromBytes
  const partStep = Math.min(merged.partCount + mergeStepParts, maxDriveParts - mergeStepParts)
  const byteStep = Math.min(merged.sizeBytes + mergeStepBytes, maxDriveBytes - mergeStepBytes)
  return isLarge && (partCount >= partStep || sizeBytes >= byteStep)
}

/**
 * Merges neighbouring parts, and drops values that later changes replaced. Each part is replaced by an equivalent one, so an
 * interruption or a change by another device is harmless; the remaining parts then stay as they are.
 * @returns whether parts were merged
 */
export async function mergeParts(client: Client, log: DriveLog, options: CallOptions): Promise<boolean> {
  const { key } = log
  if (key === undefined) return false
  const { revision, received } = await fetchParts(client, 0, options)
  if (revision !== log.revision) return false
  requireChain(received, revision, createLog())
  const state = createRegisters()
  const opened: (Received & { changes: Change[]; tips: string[]; contentBytes: number })[] = []
  for (const part of received) {
    const { changes, tips } = await openPart(key.parts, part.bytes)
    for (const change of changes) applyChange(state, change)
    opened.push({ ...part, changes, tips, contentBytes: changeBytes(changes) })
  }
  const groups: { parts: typeof opened; changes: Change[]; contentBytes: number; liveBytes: number }[] = []
  for (const part of opened) {
    const changes = keepLive(state, part.changes)
    const liveBytes = changeBytes(changes)
    const group = groups.at(-1)
    if (group === undefined || group.liveBytes + liveBytes > maxContentBytes) {
      groups.push({ parts: [part], changes, contentBytes: part.contentBytes, liveBytes })
      continue
    }
    group.parts.push(part)
    group.changes.push(...changes)
    group.contentBytes += part.contentBytes
    group.liveBytes += liveBytes
  }
  let partCount = received.length
  let sizeBytes = received.reduce((sum, { bytes }) => sum + bytes.length, 0)
  for (const { parts, changes, contentBytes, liveBytes } of groups) {
    const [start, end] = [parts[0]?.header, parts.at(-1)?.header]
    if (start === undefined || end === undefined || (parts.length === 1 && liveBytes * 2 > contentBytes)) continue
    const header = { ...start, last: end.last, after: end.after }
    const tips = parts.flatMap((part) => tipsOf(part.header, part.tips).map(([, tip]) => tip)).slice(-keptTips - 1, -1)
    const part = await sealPart(key.parts, header, { changes, tips })
    try {
      await putPart(client, revision, header, part, options)
    } catch (error) {
      if (CairnError.is(error, 'PRECONDITION_FAILED')) break
      throw error
    }
    partCount -= parts.length - 1
    sizeBytes += part.length - parts.reduce((sum, { bytes }) => sum + bytes.length, 0)
  }
  Object.assign(log, { partCount, sizeBytes, merged: { partCount, sizeBytes } })
  return true
}

/** Returns the known tips of the revisions of a part: those of its last changes, in order. */
function tipsOf({ last, after }: PartHeader, tips: readonly Tip[]): [revision: number, tip: Tip][] {
  return [...tips, after].map((tip, at, all) => [last - (all.length - 1 - at), tip])
}

async function fetchParts(
  client: Client,
  since: number,
  options: CallOptions,
): Promise<{ revision: number; received: Received[] }> {
  const limits = { timeoutMs: client.transferTimeoutMs, ...options }
  const { revision, parts } = await call(client, getDrive, { query: { since: String(since) } }, limits)
  return { revision, received: parts.map(readPart) }
}

/** Opens exported parts, from the first, without their account. @throws CairnError as {@link readChanges} */
export async function openParts(parts: readonly DrivePart[], masterKey: string): Promise<Change[]> {
  const received = parts.map(readPart)
  requireChain(received, received.at(-1)?.header.last ?? 0, createLog())
  const key = await derivePartKey(masterKey)
  const changes: Change[] = []
  for (const { bytes } of received) changes.push(...(await openPart(key, bytes)).changes)
  return changes
}

/** @throws CairnError UNEXPECTED_RESPONSE, VERIFICATION_FAILED */
export function readPart({ first, last, data }: DrivePart): Received {
  const bytes = decodeBase64(data)
  const header = readHeader(bytes)
  if (header.first !== first || header.last !== last) throw doesNotFit('a part is in the place of another')
  return { header, bytes }
}

/** The parts follow each other, and the state that this device has, without a gap. */
function requireChain(received: readonly Received[], revision: number, log: DriveLog): void {
  let before: { last: number; after: Tip; keyCid: string } | undefined
  for (const { header } of received) {
    const { first, keyCid } = header
    const isNext =
      before === undefined
        ? // Merged meanwhile: the part starts within what this device has.
          first <= log.revision || (first === log.revision + 1 && header.before === log.tip)
        : first === before.last + 1 && header.before === before.after && keyCid === before.keyCid
    if (!isNext) throw doesNotFit('its parts do not follow each other')
    before = header
  }
  if ((before?.last ?? 0) !== revision) throw doesNotFit('parts are missing')
}

async function putPart(
  client: Client,
  revision: number,
  { first, last }: PartHeader,
  part: Uint8Array,
  options: CallOptions,
): Promise<void> {
  const limits = { timeoutMs: client.transferTimeoutMs, ...options }
  const body = { revision, first, last, data: encodeBase64(part) }
  await call(client, putDrivePart, { body }, limits)
}

/**
 * Creates the key of a new drive, and saves it on the key nodes under a CID of random bytes: no other account can have taken
 * it.
 */
async function createKey(client: Client, { signal }: CallOptions): Promise<{ cid: string; parts: CryptoKey }> {
  // Version 1, raw bytes, SHA-256.
  const cid = base32.encode(Uint8Array.from([0x01, 0x55, 0x12, 0x20, ...crypto.getRandomValues(new Uint8Array(32))]))
  const key = prepareKey()
  await saveKey(client, cid, key, signal === undefined ? {} : { signal })
  return { cid, parts: await derivePartKey(key.masterKey) }
}

/**
 * Fetches the key of a drive. On a device that sees it for the first time, three key nodes must confirm that this address owns it:
 * the service could name a key that another address shares.
 */
async function openKey(
  client: Client,
  cid: string,
  known: KnownDrive | undefined,
  { signal }: CallOptions,
): Promise<{ cid: string; parts: CryptoKey }> {
  const options = signal === undefined ? {} : { signal }
  const { masterKey } = await getKey(client, cid, options)
  if (known?.keyCid !== cid) {
    const { owner } = await getConditions(client, cid, options)
    const { address } = sessionOf(client)
    if (owner.toLowerCase() !== address.toLowerCase()) {
      throw new CairnError('VERIFICATION_FAILED', {
        message: `The service returned a drive whose key belongs to ${owner}`,
        hint: 'Nothing was changed. Ask the operator of the service, or use another one.',
        details: { reason: 'owner', expected: address, received: owner },
      })
    }
  }
  return { cid, parts: await derivePartKey(masterKey) }
}

function outdated(expected: number, received: number): CairnError {
  return new CairnError('VERIFICATION_FAILED', {
    message: `The service returned revision ${received} of the drive; this device saw revision ${expected}`,
    hint: 'The service lost or withholds changes. Nothing was changed. Ask its operator for the newer drive.',
    details: { reason: 'revision', expected: String(expected), received: String(received) },
  })
}

function doesNotFit(reason: string): CairnError {
  return new CairnError('VERIFICATION_FAILED', {
    message: `The service returned a drive that was changed: ${reason}`,
    hint: 'Nothing was changed. Ask the operator of the service.',
    details: { reason },
  })
}
