import { CairnError, type ErrorCode, getDrive, removeDrive } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { getKey } from '../keys/get-key.ts'
import { type CallOptions, call } from '../request.ts'
import type { ExportedDrive } from './export-drive.ts'
import { readPart } from './log/log.ts'

/** Options of {@link resetDrive}. */
export type ResetDriveOptions = CallOptions & {
  /** Stores the old drive before it is removed. If it throws, nothing is removed. */
  keep?: (old: ExportedDrive) => Promise<void> | void
}

/**
 * Answers of three key nodes, or of all five for shards that do not match, that mean that a key will not come back. Nodes
 * that are offline may come back.
 */
const lostCodes: readonly ErrorCode[] = ['KEY_NOT_FOUND', 'ACCESS_DENIED', 'SHARDS_INCONSISTENT']

/** Returns whether {@link openDrive} failed because the key of the drive is lost, so that {@link resetDrive} applies. */
export function isDriveKeyLost(error: unknown): boolean {
  return lostCodes.some((code) => CairnError.is(error, code))
}

/**
 * Removes a drive whose key is lost, so that the next change starts a new one with a new key. Folders, names, stars, labels,
 * tags, the trash and contacts are lost; the uploads stay, and are in the root of the new drive. A drive whose key the key
 * nodes still return is not removed.
 * @param client with an API key and a session with the key nodes
 * @returns the old drive, encrypted; keep it for `openExportedDrive`, if its key may be found again. undefined without one
 * @throws CairnError CONFLICT (the key is not lost), PRECONDITION_FAILED (another device changed the drive), and those of
 *   `getKey` while key nodes are offline
 */
export async function resetDrive(
  client: Client,
  { keep, ...options }: ResetDriveOptions = {},
): Promise<ExportedDrive | undefined> {
  const limits = { timeoutMs: client.transferTimeoutMs, ...options }
  const { revision, parts } = await call(client, getDrive, { query: {} }, limits)
  const [first] = parts
  if (first === undefined) return undefined
  const { keyCid } = readPart(first).header
  await requireLost(client, keyCid, options)
  const old = { keyCid, parts }
  await keep?.(old)
  await call(client, removeDrive, { query: { revision: String(revision) } }, options)
  return old
}

async function requireLost(client: Client, keyCid: string, { signal }: CallOptions): Promise<void> {
  try {
    await getKey(client, keyCid, signal === undefined ? {} : { signal })
  } catch (error) {
    if (isDriveKeyLost(error)) return
    throw error
  }
  throw new CairnError('CONFLICT', {
    message: 'The key of the drive is not lost',
    hint: 'Open the drive. Nothing was removed.',
  })
}
