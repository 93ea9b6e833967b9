import { CairnError, restoreError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { openWithFormat } from '../decryption/decrypt-file.ts'
import { getFileInfo } from '../files/files.ts'
import { retireKey } from '../keys/access.ts'
import { findConditions } from '../keys/agreed-conditions.ts'
import { sessionOf } from '../keys/call-with-session.ts'
import type { ChangeResult } from '../keys/change-nodes.ts'
import { getKeyStatus } from '../keys/status.ts'
import type { EncryptedUploadOptions, EncryptedUploadResult } from '../upload/send-encrypted.ts'
import { uploadEncryptedStream } from '../upload/upload-encrypted.ts'

/** A file encrypted under a new key. */
export type RotatedFile = {
  /** The CID of the file under its new key. */
  cid: string
  /** The upload; undefined if an earlier call stored it and this one completed the change. */
  uploaded: EncryptedUploadResult | undefined
  /** Outcome of the retirement: key nodes return the old key to its owner only, for 30 days. */
  retired: ChangeResult
}

/**
 * Encrypts a file under a new key, so that holders of the old key cannot read later versions. This machine fetches,
 * decrypts, encrypts and uploads the bytes, shares the new file with the addresses that still have access, and retires
 * the old key with the new CID as its successor. The CID changes. The old encrypted bytes stay until they are deleted,
 * and a reader who kept both key and bytes can still read them. The new file has the name and the format of the old one,
 * unless `name` or `format` is another.
 * Repeat the call to complete an interrupted rotation: it encrypts again until three nodes have retired the old key,
 * and then retires it on the remaining nodes.
 * @throws CairnError ACCESS_DENIED, CONFLICT (no three nodes agree on its rights, or they changed meanwhile),
 *   CHANGE_INCOMPLETE with the new CID in `details.successor`, and those of downloads and encrypted uploads
 */
export async function rotateFile(
  client: Client,
  cid: string,
  options: EncryptedUploadOptions = {},
): Promise<RotatedFile> {
  const agreed = await findRights(client, cid, options)
  // A recipient could read the file and would upload a copy of their own before a node rejects the change.
  if (agreed.owner !== sessionOf(client).address) throw new CairnError('ACCESS_DENIED')
  if (agreed.state === 'retired' && agreed.successor !== null) {
    const { successor } = agreed
    return { cid: successor, uploaded: undefined, retired: await retire(client, cid, successor, options) }
  }
  const conditions = await findConditions(client, cid, options)
  const name = options.name ?? (await findFileName(client, cid, options))
  const stop = options.signal === undefined ? {} : { signal: options.signal }
  const old = await openWithFormat(client, cid, stop).catch((error: unknown) => {
    throw CairnError.is(error, 'NOT_A_FILE') ? folderRefused(error) : error
  })
  const uploaded = await uploadEncryptedStream(client, old.plain, {
    shareTo: agreed.sharedTo,
    conditions,
    ...options,
    format: options.format ?? old.format,
    ...(name === undefined ? {} : { name }),
  }).finally(old.close)
  await requireSameRights(client, cid, agreed.digest, uploaded.cid, options)
  return { cid: uploaded.cid, uploaded, retired: await retire(client, cid, uploaded.cid, options) }
}

function folderRefused(cause: CairnError): CairnError {
  return new CairnError('NOT_A_FILE', {
    message: 'The key of a folder that is encrypted as one cannot be rotated',
    hint: 'Download the folder, encrypt and upload it again, and delete the old upload.',
    cause,
  })
}

type Stop = { signal?: AbortSignal | undefined; pauseMs?: number | undefined }

async function findRights(client: Client, cid: string, { signal }: Stop) {
  const { agreed } = await getKeyStatus(client, cid, signal === undefined ? {} : { signal })
  if (agreed !== undefined) return agreed
  throw new CairnError('CONFLICT', {
    message: 'Fewer than three key nodes agree on the access rights of this file',
    hint: 'Repair the key with `repairKey` or `cairn keys repair`, then try again.',
  })
}

/** Returns the name of the stored file, empty if it has none; undefined if its upload was deleted. */
async function findFileName(client: Client, cid: string, { signal }: Stop): Promise<string | undefined> {
  try {
    const { fileName } = await getFileInfo(client, cid, signal === undefined ? {} : { signal })
    // The service shows the CID of a file that has no name.
    return fileName === cid ? '' : fileName
  } catch (error) {
    if (CairnError.is(error, 'NOT_FOUND')) return undefined
    throw error
  }
}

/** An address that lost access during the transfer would regain it in the new file. Every error names its CID. */
async function requireSameRights(client: Client, cid: string, digest: string, fresh: string, stop: Stop) {
  try {
    const now = await findRights(client, cid, stop)
    if (now.digest === digest) return
    await retireKey(client, fresh)
  } catch (cause) {
    const error = CairnError.from(cause)
    throw restoreError(error.code, {
      message: error.message,
      hint: `The file has a new copy, ${fresh}. Addresses that had access when the rotation started can read it. Revoke their access to it or delete it, then rotate again`,
      details: { ...error.details, successor: fresh },
      cause,
    })
  }
  throw new CairnError('CONFLICT', {
    message: 'The access rights of this file changed during rotation',
    hint: 'Rotate the key again. Access to the new copy was not granted.',
  })
}

/** The new file exists, so an error must name its CID. */
async function retire(
  client: Client,
  cid: string,
  successor: string,
  { signal, pauseMs }: Stop,
): Promise<ChangeResult> {
  const options = { ...(signal === undefined ? {} : { signal }), ...(pauseMs === undefined ? {} : { pauseMs }) }
  try {
    return await retireKey(client, cid, { successor, ...options })
  } catch (cause) {
    const error = CairnError.from(cause)
    throw restoreError(error.code, {
      message: error.message,
      hint: `The file has a new key as ${successor}, but the key nodes still return the old key. Rotate again, or retire the old key with that successor`,
      details: { ...error.details, successor },
      cause,
    })
  }
}
