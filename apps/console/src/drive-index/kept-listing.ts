import type { DriveUpload } from '@cairn/sdk'
import * as v from 'valibot'
import { openTable } from '../browser/open-table.ts'

/**
 * The uploads of the account as this browser listed them last, so that the next page shows them at once. Encrypted with a key
 * from the API key of the session: it cannot be read without that session. One row: that of the latest session.
 */
const table = openTable('cairn-listing', 'uploads')
const rowName = 'latest'
const utf8 = new TextEncoder()

const uploadSchema = v.array(
  v.object({
    id: v.string(),
    cid: v.string(),
    fileName: v.string(),
    fileSizeInBytes: v.string(),
    mimeType: v.nullable(v.string()),
    createdAt: v.number(),
    encryption: v.boolean(),
    private: v.exactOptional(v.literal(true)),
    managedBy: v.exactOptional(v.picklist(['s3', 'pin'])),
    uploadLinkId: v.exactOptional(v.string()),
  }),
)
const rowSchema = v.object({ iv: v.instance(Uint8Array<ArrayBuffer>), sealed: v.instance(ArrayBuffer) })

/** Returns the kept uploads; undefined if there are none of this session. */
export async function readListing(apiKey: string): Promise<DriveUpload[] | undefined> {
  const read = await table<unknown>('readonly', (rows) => rows.get(rowName))
  const row = v.safeParse(rowSchema, read.isDone ? read.value : undefined)
  if (!row.success) return undefined
  const { iv, sealed } = row.output
  const key = await deriveKey(apiKey)
  // A listing of another session cannot be decrypted.
  const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, sealed).catch(() => undefined)
  if (plain === undefined) return undefined
  const uploads = v.safeParse(uploadSchema, JSON.parse(new TextDecoder().decode(plain)))
  return uploads.success ? uploads.output : undefined
}

export async function keepListing(apiKey: string, uploads: readonly DriveUpload[]): Promise<void> {
  const rows = uploads.map((upload) => {
    const { id, cid, fileName, fileSizeInBytes, mimeType, createdAt, encryption } = upload
    return {
      ...{ id, cid, fileName, fileSizeInBytes, mimeType, createdAt, encryption },
      ...(upload.private ? { private: true } : {}),
      ...(upload.managedBy === undefined ? {} : { managedBy: upload.managedBy }),
      ...(upload.uploadLinkId === undefined ? {} : { uploadLinkId: upload.uploadLinkId }),
    }
  })
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const key = await deriveKey(apiKey)
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, utf8.encode(JSON.stringify(rows)))
  // A browser without storage lists them again.
  await table('readwrite', (all) => all.put({ iv, sealed }, rowName))
}

async function deriveKey(apiKey: string): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey('raw', utf8.encode(apiKey), 'HKDF', false, ['deriveKey'])
  const info = utf8.encode('cairn/console-listing/1')
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info }
  return crypto.subtle.deriveKey(derivation, secret, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}
