/** A server's answer about the TXT records of a name. */
export type TextAnswer =
  | { kind: 'texts'; texts: readonly string[]; ttlSeconds: number }
  | { kind: 'missing' }
  /** The answer does not fit into a datagram: retry over TCP. */
  | { kind: 'truncated' }
  | { kind: 'failed'; code: number }

const headBytes = 12
const textType = 16
const aliasType = 5
const optionsType = 41
const internetClass = 1
/** Fits into every network path unfragmented. @see https://www.dnsflagday.net/2020/ */
const maxDatagramBytes = 1232
const maxPointers = 32
const maxTtlSeconds = 7 * 24 * 3600

/**
 * Encodes a query for the TXT records of a name with labels of 1 to 63 characters. @see
 * https://www.rfc-editor.org/rfc/rfc1035
 */
export function encodeTextQuestion(id: number, name: string): Buffer {
  const head = Buffer.alloc(headBytes)
  head.writeUInt16BE(id, 0)
  // Recursion desired; one question, one additional record.
  head.writeUInt16BE(0x0100, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(1, 10)
  const labels = name.split('.').flatMap((label) => [Buffer.of(label.length), Buffer.from(label, 'latin1')])
  const type = Buffer.alloc(4)
  type.writeUInt16BE(textType, 0)
  type.writeUInt16BE(internetClass, 2)
  const options = Buffer.alloc(11)
  options.writeUInt16BE(optionsType, 1)
  options.writeUInt16BE(maxDatagramBytes, 3)
  return Buffer.concat([head, ...labels, Buffer.of(0), type, options])
}

/**
 * Decodes an answer to this query.
 * @returns undefined for anything else, malformed or for another query
 */
export function decodeTextAnswer(message: Buffer, id: number, name: string): TextAnswer | undefined {
  try {
    return decode(message, id, name)
  } catch (error) {
    // The message is truncated.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function decode(message: Buffer, id: number, name: string): TextAnswer | undefined {
  const flags = message.readUInt16BE(2)
  const isAnswer = message.readUInt16BE(0) === id && (flags & 0x8000) !== 0 && message.readUInt16BE(4) === 1
  if (!isAnswer) return undefined
  const question = readName(message, headBytes)
  if (question.name !== name.toLowerCase() || message.readUInt16BE(question.end) !== textType) return undefined
  if ((flags & 0x0200) !== 0) return { kind: 'truncated' }
  const code = flags & 0x000f
  if (code === 3) return { kind: 'missing' }
  if (code !== 0) return { kind: 'failed', code }
  const texts: string[] = []
  let ttlSeconds = maxTtlSeconds
  let at = question.end + 4
  for (let left = message.readUInt16BE(6); left > 0; left--) {
    const { end } = readName(message, at)
    const type = message.readUInt16BE(end)
    const data = end + 10
    const length = message.readUInt16BE(end + 8)
    at = data + length
    if (at > message.length) return undefined
    // The TTLs of aliases limit the lifetime of the answer; the owner of the records is not verifiable either way.
    if (type === textType || type === aliasType) ttlSeconds = Math.min(ttlSeconds, message.readUInt32BE(end + 4))
    if (type === textType) texts.push(readText(message.subarray(data, at)))
  }
  return texts.length === 0 ? { kind: 'missing' } : { kind: 'texts', texts, ttlSeconds }
}

/** Reads a name in lower case, and where it ends; pointers refer back into the message. */
function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  let end: number | undefined
  for (let pointers = 0; pointers <= maxPointers; ) {
    const length = message.readUInt8(at)
    if (length >= 0xc0) {
      end ??= at + 2
      at = message.readUInt16BE(at) & 0x3fff
      pointers++
      continue
    }
    if (length > 63 || labels.length > 127) break
    if (length === 0) return { name: labels.join('.').toLowerCase(), end: end ?? at + 1 }
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  throw new RangeError('a name is not terminated')
}

/** Joins the strings of a record. */
function readText(data: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; at < data.length; ) {
    const length = data.readUInt8(at)
    parts.push(data.subarray(at + 1, at + 1 + length))
    at += 1 + length
  }
  return Buffer.concat(parts).toString('utf8')
}
