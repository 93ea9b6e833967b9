/**
 * A name and its newest known record. The row outlives its record: `sequence` is the greatest ever seen, and no older
 * record is accepted. `lifetime_ms` and `renew_at` are set while the service renews the record.
 */
type IpnsNameTable = {
  name: string
  /**
   * `account`: on a list. `unlisted`: was on one; its record is deleted when it expires or is two days old, its sequence is kept.
   * `foreign`: never belonged to an account; the whole row is deleted then.
   */
  origin: 'account' | 'unlisted' | 'foreign'
  /** 20 digits, so that text sorts as the number. */
  sequence: string | null
  value: string | null
  record: Uint8Array | null
  valid_until: number | null
  ttl_ms: number | null
  lifetime_ms: number | null
  renew_at: number | null
  created_at: number
  updated_at: number
}

/**
 * A name on the list of an account. `seal` is its key, sealed by the named secret; null when the owner keeps the key.
 */
type NameEntryTable = {
  id: string
  address: string
  name: string
  label: string | null
  seal: Uint8Array | null
  secret_id: string | null
  created_at: number
  updated_at: number
}

/** History of a listed name. A renewal replaces the record that it renews. */
type NameRecordTable = {
  name: string
  sequence: string
  value: string
  record: Uint8Array
  valid_until: number
  published_at: number
}

/** Mutable names. */
export type NameTables = {
  ipns_name: IpnsNameTable
  name_entry: NameEntryTable
  name_record: NameRecordTable
}
