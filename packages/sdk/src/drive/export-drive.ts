import { type DrivePart, getDrive } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'
import { openParts, readPart } from './log/log.ts'
import type { Change } from './log/registers.ts'

/** A drive as the service stores it, encrypted, and the CID of its key. */
export type ExportedDrive = { keyCid: string; parts: DrivePart[] }

/**
 * Returns the drive of the account as the service stores it, without its key; undefined for an account without a drive.
 * @throws CairnError UNEXPECTED_RESPONSE, VERIFICATION_FAILED
 */
export async function exportDrive(client: Client, options: CallOptions = {}): Promise<ExportedDrive | undefined> {
  const limits = { timeoutMs: client.transferTimeoutMs, ...options }
  const { parts } = await call(client, getDrive, { query: {} }, limits)
  const [first] = parts
  return first === undefined ? undefined : { keyCid: readPart(first).header.keyCid, parts }
}

/**
 * Decrypts an exported drive. Pass the result to `merge` of another drive.
 * @param masterKey the key of its `keyCid`
 * @throws CairnError DECRYPTION_FAILED, VERIFICATION_FAILED, UNEXPECTED_RESPONSE
 */
export function openExportedDrive({ parts }: Pick<ExportedDrive, 'parts'>, masterKey: string): Promise<Change[]> {
  return openParts(parts, masterKey)
}
