/**
 * A pin that was requested through the Pinning Service API. `owner` is the request or worker that works on it, until
 * `owner_until`.
 */
export type PinTable = {
  id: string
  address: string
  /** As given by the client, and as version 1 in base32. */
  cid: string
  cid_v1: string
  name: string | null
  name_lower: string | null
  /** JSON array of multiaddrs. */
  origins: string
  /** JSON object of strings. */
  meta: string
  status: 'queued' | 'pinning' | 'pinned' | 'failed'
  /** Details of the status, shown to the client. */
  details: string | null
  /** The upload of the pin. Its removal removes the pin. */
  upload_id: string | null
  /** The upload of the replaced pin, which stays until this one is pinned. */
  replaced_upload_id: string | null
  owner: string | null
  owner_until: number | null
  tries: number
  next_at: number
  /** Unique per account. */
  created_at: number
}

/** Pins of content from elsewhere. */
export type PinTables = {
  pin: PinTable
}
