/** A ZIP file that is read entry by entry. */
export type Zip = {
  /** Names of its files. */
  names: readonly string[]
  /**
   * Decompresses a file.
   * @returns undefined if the ZIP has no file of that name
   * @throws RangeError if the file is damaged or larger than `maxEntryBytes`, or all that were read exceed `maxReadBytes`
   */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>
}

type Entry = { method: number; compressedBytes: number; at: number }

/** Decompressed bytes of one file, at most: a small ZIP can claim any size. */
const maxEntryBytes = 48 * 1024 * 1024
/** Decompressed bytes of all reads, at most: a document can name the same part a thousand times. */
export const maxReadBytes = 256 * 1024 * 1024
const maxEntries = 20_000
/** The end record is the last of the file, with a comment of at most 65,535 bytes after it. */
const endBytes = 22
const endSearchBytes = endBytes + 65_535
const entryBytes = 46
const localBytes = 30
const stored = 0
const deflated = 8
const utf8 = new TextDecoder()

/**
 * Opens a ZIP without reading all of it. ZIP64 and encryption are not supported: no document needs them.
 * @throws RangeError if it is no ZIP
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
export async function openZip(file: Blob): Promise<Zip> {
  const tailAt = Math.max(0, file.size - endSearchBytes)
  const tail = await readBytes(file, tailAt, file.size)
  const end = findEnd(tail)
  if (end === undefined) throw new RangeError('no end of a ZIP')
  const view = viewOf(tail)
  const [count, listBytes, listAt] = [
    view.getUint16(end + 10, true),
    view.getUint32(end + 12, true),
    view.getUint32(end + 16, true),
  ]
  if (count > maxEntries) throw new RangeError('too many files in the ZIP')
  const entries = readEntries(await readBytes(file, listAt, listAt + listBytes), count)
  let readBytesSum = 0
  return {
    names: [...entries.keys()],
    read: async (name) => {
      const entry = entries.get(name)
      if (entry === undefined) return undefined
      if (readBytesSum >= maxReadBytes) throw tooLarge()
      const bytes = await readEntry(file, entry)
      readBytesSum += bytes.length
      return bytes
    },
  }
}

function findEnd(tail: Uint8Array): number | undefined {
  const view = viewOf(tail)
  for (let at = tail.length - endBytes; at >= 0; at--) if (view.getUint32(at, true) === 0x06054b50) return at
  return undefined
}

function readEntries(list: Uint8Array, count: number): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  const view = viewOf(list)
  let at = 0
  for (let i = 0; i < count; i++) {
    if (at + entryBytes > list.length || view.getUint32(at, true) !== 0x02014b50) throw new RangeError('a damaged ZIP')
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => view.getUint16(at + field, true))
    const end = at + entryBytes + (nameBytes ?? 0)
    entries.set(utf8.decode(list.subarray(at + entryBytes, end)), {
      method: view.getUint16(at + 10, true),
      compressedBytes: view.getUint32(at + 20, true),
      at: view.getUint32(at + 42, true),
    })
    at = end + (extraBytes ?? 0) + (commentBytes ?? 0)
  }
  return entries
}

async function readEntry(file: Blob, { method, compressedBytes, at }: Entry): Promise<Uint8Array<ArrayBuffer>> {
  const view = viewOf(await readBytes(file, at, at + localBytes))
  const start = at + localBytes + view.getUint16(26, true) + view.getUint16(28, true)
  const bytes = file.slice(start, start + compressedBytes)
  if (method === stored) {
    if (compressedBytes > maxEntryBytes) throw tooLarge()
    return new Uint8Array(await bytes.arrayBuffer())
  }
  if (method !== deflated) throw new RangeError('a ZIP with another compression')
  return gather(bytes.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader())
}

async function gather(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer())
    bytes += value.length
    if (bytes > maxEntryBytes) {
      await reader.cancel()
      throw tooLarge()
    }
    parts.push(value)
  }
}

async function readBytes(file: Blob, from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await file.slice(from, to).arrayBuffer())
  if (bytes.length !== to - from) throw new RangeError('a ZIP that is cut off')
  return bytes
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

function tooLarge(): RangeError {
  return new RangeError('a file in the ZIP is too large')
}
