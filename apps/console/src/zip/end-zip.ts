import type { Target } from '../cipher/open-target.ts'

/** Size of the end record of a ZIP, which is written separately, and of the two records before it in a ZIP64. */
const endBytes = 22
const end64Bytes = 56
const locatorBytes = 20
/** Versions of the format with ZIP64, with Unix as the system. */
const version64 = 45
const unix = 3
/** This value in a field means that the ZIP64 record contains the number. */
const beyond16 = 0xffff
const beyond32 = 0xffff_ffff

/**
 * Corrects the end of a ZIP of client-zip. More than 65,534 entries require a ZIP64 record, which client-zip 2.5.1 writes only
 * for large ZIPs: programs then find fewer entries, or report a damaged ZIP.
 */
export function endZip(file: Target, countEntries: () => number): Target {
  /** A piece that may be the end. */
  let held: Uint8Array | undefined
  const release = async () => {
    const piece = held
    held = undefined
    if (piece !== undefined) await file.write(piece)
  }
  return {
    write: async (bytes) => {
      await release()
      if (bytes.length === endBytes) held = bytes.slice()
      else await file.write(bytes)
    },
    close: async () => {
      if (held !== undefined) await file.write(makeZip64(held, countEntries()))
      await release()
      await file.close()
    },
    abort: file.abort,
  }
}

/** Returns the records of a ZIP64 that come before the end; no bytes if it has them, or needs none. */
function makeZip64(end: Uint8Array, entryCount: number): Uint8Array {
  const { buffer, byteOffset, byteLength } = end
  const known = new DataView(buffer, byteOffset, byteLength)
  const listBytes = known.getUint32(12, true)
  const listAt = known.getUint32(16, true)
  if (entryCount < beyond16 || listAt === beyond32) return new Uint8Array(0)
  const records = new Uint8Array(end64Bytes + locatorBytes)
  const view = new DataView(records.buffer)
  records.set([0x50, 0x4b, 6, 6])
  view.setBigUint64(4, BigInt(end64Bytes - 12), true)
  records.set([version64, unix, version64], 12)
  view.setBigUint64(24, BigInt(entryCount), true)
  view.setBigUint64(32, BigInt(entryCount), true)
  view.setBigUint64(40, BigInt(listBytes), true)
  view.setBigUint64(48, BigInt(listAt), true)
  records.set([0x50, 0x4b, 6, 7], end64Bytes)
  view.setBigUint64(end64Bytes + 8, BigInt(listAt + listBytes), true)
  view.setUint32(end64Bytes + 16, 1, true)
  return records
}
