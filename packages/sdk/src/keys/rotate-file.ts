import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { openDecrypted } from '../download/decrypt-file.ts'
import type { EncryptedUploadOptions, EncryptedUploadResult } from '../upload/send-encrypted.ts'
import { uploadEncryptedStream } from '../upload/upload-encrypted.ts'
import { getAgreedConditions, retireKey } from './access.ts'
import type { ChangeResult } from './change-nodes.ts'
import { getKeyStatus } from './status.ts'

/** A file that was encrypted anew. */
export type RotatedFile = {
  uploaded: EncryptedUploadResult
  /** What became of the old key: it is given to nobody any more. */
  retired: ChangeResult
}

/**
 * Encrypts a file anew under another key, so that whoever had the old key cannot read what comes after: the bytes are fetched,
 * decrypted, encrypted and uploaded on this machine, shared with the addresses that still have the right, and the old key is
 * retired with the new CID as its successor. The CID changes; the old encrypted bytes stay where they were until they are
 * deleted, and who kept both can read them.
 * @throws CairnError ACCESS_DENIED, CONFLICT (no three nodes agree about its rights), and those of downloads and encrypted uploads
 */
export async function rotateFile(
  client: Client,
  cid: string,
  options: EncryptedUploadOptions = {},
): Promise<RotatedFile> {
  const { agreed } = await getKeyStatus(client, cid, options)
  if (agreed === undefined) {
    throw new CairnError('CONFLICT', {
      message: 'No three key nodes agree who may read this file',
      hint: 'Repair it first, with `repairKey` or `cairn keys repair`.',
    })
  }
  const rights = await getAgreedConditions(client, cid, options)
  const all = [...rights.conditions, ...rights.conditionsSolana, ...rights.conditionsCoreum]
  const chainType =
    rights.conditionsSolana.length > 0 ? 'SOLANA' : rights.conditionsCoreum.length > 0 ? 'COREUM' : 'EVM'
  const conditions =
    all.length === 0 ? undefined : { conditions: all, aggregator: rights.aggregator ?? undefined, chainType }
  const plain = await openDecrypted(client, cid, options.signal === undefined ? {} : { signal: options.signal })
  const uploaded = await uploadEncryptedStream(client, plain, {
    shareTo: agreed.sharedTo,
    conditions,
    ...options,
  })
  return { uploaded, retired: await retireKey(client, cid, { successor: uploaded.cid }) }
}
