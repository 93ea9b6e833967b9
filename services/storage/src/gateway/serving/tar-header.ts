/** A tar entry. */
export type TarEntry = {
  path: string
  kind: 'file' | 'directory' | 'symlink'
  sizeBytes: number
  target?: string
  mode?: number | undefined
  modifiedAtSeconds?: number | undefined
}

const typeFlags = { file: '0', symlink: '2', directory: '5' } as const

/**
 * Encodes the header of a tar entry, preceded by a PAX record when a name is long or not ASCII or a file is 8 GiB or
 * larger. @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html
 */
export function encodeTarHeader(entry: TarEntry): Buffer {
  // Folders have no trailing slash: the type identifies them, and Kubo's CLI accepts no other form.
  const { path } = entry
  const target = entry.target ?? ''
  const records: string[] = []
  if (!isPlain(path, 100)) records.push(paxRecord('path', path))
  if (!isPlain(target, 100)) records.push(paxRecord('linkpath', target))
  if (entry.sizeBytes >= 8 ** 11) records.push(paxRecord('size', String(entry.sizeBytes)))
  const header = block({ ...entry, target }, path, typeFlags[entry.kind])
  if (records.length === 0) return header
  const body = Buffer.from(records.join(''))
  const paxEntry = { path: 'pax', kind: 'file', sizeBytes: body.length, target: '' } as const
  return Buffer.concat([block(paxEntry, 'PaxHeader', 'x'), body, tarPadding(body.length), header])
}

/** Returns the zero bytes that pad a body to the next block of 512. */
export function tarPadding(sizeBytes: number): Buffer {
  return Buffer.alloc((512 - (sizeBytes % 512)) % 512)
}

/** The two empty blocks at the end of an archive. */
export const tarEnd = Buffer.alloc(1024)

function block(entry: TarEntry & { target: string }, path: string, type: string): Buffer {
  const bytes = Buffer.alloc(512)
  bytes.write(asciiOf(path).slice(0, 100), 0, 'latin1')
  bytes.write(octal((entry.mode ?? (entry.kind === 'directory' ? 0o755 : 0o644)) & 0o777, 8), 100, 'latin1')
  bytes.write(octal(0, 8), 108, 'latin1')
  bytes.write(octal(0, 8), 116, 'latin1')
  bytes.write(octal(Math.min(entry.sizeBytes, 8 ** 11 - 1), 12), 124, 'latin1')
  bytes.write(octal(Math.max(0, entry.modifiedAtSeconds ?? 0), 12), 136, 'latin1')
  bytes.write(' '.repeat(8), 148, 'latin1')
  bytes.write(type, 156, 'latin1')
  bytes.write(asciiOf(entry.target).slice(0, 100), 157, 'latin1')
  bytes.write('ustar\x0000', 257, 'latin1')
  let sum = 0
  for (const byte of bytes) sum += byte
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return bytes
}

function octal(value: number, width: number): string {
  return `${Math.min(value, 8 ** (width - 1) - 1)
    .toString(8)
    .padStart(width - 1, '0')}\0`
}

function isPlain(text: string, maxLength: number): boolean {
  return text.length <= maxLength && /^[\x20-\x7e]*$/.test(text)
}

function asciiOf(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, '_')
}

/** A record contains its own length, including the digits of that length. */
function paxRecord(name: string, value: string): string {
  const bytes = Buffer.byteLength(` ${name}=${value}\n`)
  let length = bytes + String(bytes).length
  if (bytes + String(length).length !== length) length = bytes + String(length).length
  return `${length} ${name}=${value}\n`
}
