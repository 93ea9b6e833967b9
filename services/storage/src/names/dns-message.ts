/** What a server said about the TXT records of a name. */
export type TextAnswer =
  | { kind: 'texts'; texts: readonly string[]; ttlSeconds: number }
  | { kind: 'missing' }
  /** It does not fit into a datagram: to be asked again over TCP. */
  | { kind: 'truncated' }
  | { kind: 'failed'; code: number }

const headBytes = 12
const textType = 16
const aliasType = 5
const optionsType = 41
const internetClass = 1
/** Fits into every path without being cut up. @see https://www.dnsflagday.net/2020/ */
export const datagramBytesMost = 1232
const pointersMost = 32
const ttlSecondsMost = 7 * 24 * 3600

/** Writes a question for the TXT records of a name, of labels of 1 to 63 characters. @see https://www.rfc-editor.org/rfc/rfc1035 */
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
  options.writeUInt16BE(datagramBytesMost, 3)
  return Buffer.concat([head, ...labels, Buffer.of(0), type, options])
}

/**
 * Reads an answer to this very question.
 * @returns undefined for anything else, be it malformed or meant for another question
 */
export function decodeTextAnswer(message: Buffer, id: number, name: string): TextAnswer | undefined {
  try {
    return decode(message, id, name)
  } catch (error) {
    // It ends before it should.
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
  let ttlSeconds = ttlSecondsMost
  let at = question.end + 4
  for (let left = message.readUInt16BE(6); left > 0; left--) {
    const { end } = readName(message, at)
    const type = message.readUInt16BE(end)
    const data = end + 10
    const length = message.readUInt16BE(end + 8)
    at = data + length
    if (at > message.length) return undefined
    // Aliases on the way count for how long the answer holds; whose records these are is the server's word either way.
    if (type === textType || type === aliasType) ttlSeconds = Math.min(ttlSeconds, message.readUInt32BE(end + 4))
    if (type === textType) texts.push(readText(message.subarray(data, at)))
  }
  return texts.length === 0 ? { kind: 'missing' } : { kind: 'texts', texts, ttlSeconds }
}

/** A name in lower case, and where it ends; pointers lead back into the message. */
function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  let end: number | undefined
  for (let pointers = 0; pointers <= pointersMost; ) {
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
  throw new RangeError('a name without end')
}

/** The strings of a record, put together. */
function readText(data: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; at < data.length; ) {
    const length = data.readUInt8(at)
    parts.push(data.subarray(at + 1, at + 1 + length))
    at += 1 + length
  }
  return Buffer.concat(parts).toString('utf8')
}
