import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { openDecrypted } from '../download/decrypt-file.ts'
import type { EncryptedUploadOptions, EncryptedUploadResult } from '../upload/send-encrypted.ts'
import { uploadEncryptedStream } from '../upload/upload-encrypted.ts'
import { retireKey } from './access.ts'
import { findConditions } from './agreed-conditions.ts'
import { sessionOf } from './call-with-session.ts'
import type { ChangeResult } from './change-nodes.ts'
import { getKeyStatus } from './status.ts'

/** A file that was encrypted anew. */
export type RotatedFile = {
  /** The CID of the file under its new key. */
  cid: string
  /** What was stored; undefined where an earlier call had done so and this one finished what was left. */
  uploaded: EncryptedUploadResult | undefined
  /** What became of the old key: it is given to nobody any more. */
  retired: ChangeResult
}

/**
 * Encrypts a file anew under another key, so that whoever had the old key cannot read what comes after: the bytes are fetched,
 * decrypted, encrypted and uploaded on this machine, shared with the addresses that still have the right, and the old key is
 * retired with the new CID as its successor. The CID changes; the old encrypted bytes stay where they were until they are
 * deleted, and who kept both can read them.
 *
 * What was cut off is finished by the same call: before three nodes have retired the old key it encrypts anew once more,
 * afterwards it retires the old key on the nodes that missed it.
 * @throws CairnError ACCESS_DENIED, CONFLICT (no three nodes agree about its rights, or they changed meanwhile),
 * CHANGE_INCOMPLETE with the new CID in `details.successor`, and those of downloads and encrypted uploads
 */
export async function rotateFile(
  client: Client,
  cid: string,
  options: EncryptedUploadOptions = {},
): Promise<RotatedFile> {
  const agreed = await findRights(client, cid, options)
  // Others can read it, and would upload a copy of their own before a node said so.
  if (agreed.owner !== sessionOf(client).address) throw new CairnError('ACCESS_DENIED')
  if (agreed.state === 'retired' && agreed.successor !== null) {
    const { successor } = agreed
    return { cid: successor, uploaded: undefined, retired: await retire(client, cid, successor, options) }
  }
  const conditions = await findConditions(client, cid, options)
  const plain = await openDecrypted(client, cid, options.signal === undefined ? {} : { signal: options.signal })
  const uploaded = await uploadEncryptedStream(client, plain, {
    shareTo: agreed.sharedTo,
    conditions,
    ...options,
  })
  await requireSameRights(client, cid, agreed.digest, uploaded.cid, options)
  return { cid: uploaded.cid, uploaded, retired: await retire(client, cid, uploaded.cid, options) }
}

type Stop = { signal?: AbortSignal | undefined; pauseMs?: number | undefined }

async function findRights(client: Client, cid: string, { signal }: Stop) {
  const { agreed } = await getKeyStatus(client, cid, signal === undefined ? {} : { signal })
  if (agreed !== undefined) return agreed
  throw new CairnError('CONFLICT', {
    message: 'No three key nodes agree who may read this file',
    hint: 'Repair it first, with `repairKey` or `cairn keys repair`.',
  })
}

/** Who lost the right while the bytes were on their way would have it again in the new file. */
async function requireSameRights(client: Client, cid: string, digest: string, fresh: string, stop: Stop) {
  const now = await findRights(client, cid, stop)
  if (now.digest === digest) return
  await retireKey(client, fresh)
  throw new CairnError('CONFLICT', {
    message: 'Who may read this file changed while it was encrypted anew',
    hint: 'Rotate it again: the copy that was made meanwhile is given to nobody.',
  })
}

/** The new file is there: whoever meets an error has to know its name. */
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
    throw new CairnError(error.code, {
      message: error.message,
      hint: `The file is there under a new key as ${successor}, but the old one is still given out: rotate again, or retire it with that successor.`,
      details: { ...error.details, successor },
      cause,
    })
  }
}
