import {
  CairnError,
  type CallResult,
  deleteFile as deleteFileCall,
  type FileEntry,
  getFileInfo as getFileInfoCall,
  isAnyCid,
  pinCid as pinCidCall,
  renameFile as renameFileCall,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/**
 * Returns the file info of a CID.
 * @throws CairnError INVALID_CID before any call, NOT_FOUND
 */
export async function getFileInfo(
  client: Client,
  cid: string,
  options?: CallOptions,
): Promise<CallResult<typeof getFileInfoCall>> {
  if (!isAnyCid(cid)) throw new CairnError('INVALID_CID')
  return call(client, getFileInfoCall, { query: { cid } }, options)
}

/**
 * Removes an upload from the account: one row by id, or all rows of a CID.
 * @throws CairnError NOT_FOUND
 */
export async function deleteFile(
  client: Client,
  which: { id: string } | { cid: string },
  options?: CallOptions,
): Promise<void> {
  await call(client, deleteFileCall, { query: which }, options)
}

/**
 * Renames an upload in listings; its CID does not change.
 * @throws CairnError NOT_FOUND, INVALID_PATH
 */
export function renameFile(client: Client, id: string, fileName: string, options?: CallOptions): Promise<FileEntry> {
  return call(client, renameFileCall, { params: { id }, body: { fileName } }, options)
}

/**
 * Pins a CID from a source that the operator has configured.
 * @param options `isEncrypted` sets what `getFileInfo` returns for the content. Defaults to the mark of the account's newest
 *   upload of the CID, or false.
 * @throws CairnError INVALID_CID, BLOCK_NOT_FOUND, QUOTA_EXCEEDED
 */
export function pinCid(
  client: Client,
  cid: string,
  fileName?: string,
  { isEncrypted, ...options }: CallOptions & { isEncrypted?: boolean | undefined } = {},
): Promise<CallResult<typeof pinCidCall>> {
  const body = {
    cid,
    ...(fileName === undefined ? {} : { fileName }),
    ...(isEncrypted === undefined ? {} : { encryption: isEncrypted }),
  }
  return call(client, pinCidCall, { body }, { timeoutMs: client.transferTimeoutMs, ...options })
}
