/** The private index of an account, encrypted by its clients. `part_count` and `size_bytes` are those of its parts. */
type DriveTable = { address: string; revision: number; part_count: number; size_bytes: number; updated_at: number }

/** A part of a drive: a change, or several that a client merged. The parts of a drive cover each revision once. */
type DrivePartTable = {
  address: string
  first_revision: number
  last_revision: number
  data: Uint8Array
  created_at: number
}

/** The private indexes of accounts. */
export type DriveTables = {
  drive: DriveTable
  drive_part: DrivePartTable
}
