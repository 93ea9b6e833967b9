/**
 * A link to an encrypted file. The hashes are of tokens of 32 bytes that visitors send; `sealed` is the file key, which only
 * the link opens, and null once the link ended or was revoked. Ended rows stay for a while, for the owner.
 */
export type LinkTable = {
  id: string
  address: string
  cid: string
  label: string
  sealed: string | null
  token_hash: Uint8Array
  password_hash: Uint8Array | null
  max_opens: number
  opens: number
  failures: number
  created_at: number
  expires_at: number
  last_opened_at: number | null
  revoked_at: number | null
}

/**
 * A link to upload files to the account. `uploads` and `uploaded_bytes` count stored files; uploads in progress are rows of
 * `resumable_upload`. `content_types` is a JSON array.
 */
export type UploadLinkTable = {
  id: string
  address: string
  label: string
  secret_hash: Uint8Array
  max_file_bytes: number
  max_total_bytes: number
  max_uploads: number
  content_types: string
  uploads: number
  uploaded_bytes: number
  created_at: number
  expires_at: number
  last_used_at: number | null
  revoked_at: number | null
}

/** Links to files, and links for uploads. */
export type LinkTables = {
  link: LinkTable
  upload_link: UploadLinkTable
}
