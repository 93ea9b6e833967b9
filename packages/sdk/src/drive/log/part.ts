import { CairnError } from '@cairn/protocol'
import { toHex } from '../../to-hex.ts'
import { type PartContent, parseContent } from './registers.ts'

/** Identifies a revision of a drive: 16 random bytes as hex that its writer chose. */
export type Tip = string

/** The header of a part: authenticated, but not secret. */
export type PartHeader = {
  first: number
  last: number
  /** Tips before `first` and at `last`. A part follows another if they agree, so parts cannot be reordered or mixed. */
  before: Tip
  after: Tip
  /** The CID under which the key nodes hold the key of the drive. */
  keyCid: string
}

/** The tip before the first change. */
export const firstTip: Tip = '00'.repeat(16)

const magic = 'CDR1'
const tipBytes = 16
const fixedBytes = 4 + 6 + 6 + 2 * tipBytes + 1
const nonceBytes = 12
const keyCidPattern = /^b[a-z2-7]{20,120}$/
/** Maximum size of the content of a part, decompressed: far above what programs write. */
const maxContentBytes = 16 * 1024 * 1024
const utf8 = new TextEncoder()

export function createTip(): Tip {
  return toHex(crypto.getRandomValues(new Uint8Array(tipBytes)))
}

/** Derives the key of the parts from a file key, with HKDF-SHA-256. */
export async function derivePartKey(masterKey: string): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey('raw', fromHex(masterKey), 'HKDF', false, ['deriveKey'])
  const info = utf8.encode('cairn/drive/1')
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info }
  return crypto.subtle.deriveKey(derivation, secret, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

/** Encrypts a part: header, nonce, and the compressed content under AES-256-GCM with the header as additional data. */
export async function sealPart(key: CryptoKey, header: PartHeader, content: PartContent): Promise<Uint8Array> {
  const additionalData = writeHeader(header)
  const iv = crypto.getRandomValues(new Uint8Array(nonceBytes))
  const plain = await compress(utf8.encode(JSON.stringify(content)))
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, key, plain))
  const part = new Uint8Array(additionalData.length + nonceBytes + sealed.length)
  part.set(additionalData)
  part.set(iv, additionalData.length)
  part.set(sealed, additionalData.length + nonceBytes)
  return part
}

/**
 * Decrypts a part.
 * @throws CairnError DECRYPTION_FAILED, UNEXPECTED_RESPONSE
 */
export async function openPart(key: CryptoKey, part: Uint8Array): Promise<PartContent> {
  const additionalData = writeHeader(readHeader(part))
  const iv = new Uint8Array(part.subarray(additionalData.length, additionalData.length + nonceBytes))
  const sealed = new Uint8Array(part.subarray(additionalData.length + nonceBytes))
  const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, key, sealed).catch((cause) => {
    throw new CairnError('DECRYPTION_FAILED', { message: 'A part of the drive does not match its key', cause })
  })
  return parseContent(await decompress(plain))
}

/**
 * Reads the header of a part.
 * @throws CairnError UNEXPECTED_RESPONSE
 */
export function readHeader(part: Uint8Array): PartHeader {
  const length = part[fixedBytes - 1] ?? 0
  const text = (from: number, to: number) => String.fromCharCode(...part.subarray(from, to))
  const keyCid = text(fixedBytes, fixedBytes + length)
  if (text(0, 4) !== magic || part.length <= fixedBytes + length + nonceBytes || !keyCidPattern.test(keyCid)) {
    throw new CairnError('UNEXPECTED_RESPONSE', { message: 'The service returned a part that is not of a drive' })
  }
  const tip = (from: number) => toHex(part.subarray(from, from + tipBytes))
  return { first: readNumber(part, 4), last: readNumber(part, 10), before: tip(16), after: tip(16 + tipBytes), keyCid }
}

function writeHeader({ first, last, before, after, keyCid }: PartHeader): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(fixedBytes + keyCid.length)
  header.set(utf8.encode(magic))
  writeNumber(header, 4, first)
  writeNumber(header, 10, last)
  header.set(fromHex(before), 16)
  header.set(fromHex(after), 16 + tipBytes)
  header[fixedBytes - 1] = keyCid.length
  header.set(utf8.encode(keyCid), fixedBytes)
  return header
}

/** Revisions have 48 bits, big-endian. */
function writeNumber(bytes: Uint8Array<ArrayBuffer>, at: number, value: number): void {
  const view = new DataView(bytes.buffer)
  view.setUint16(at, Math.floor(value / 2 ** 32))
  view.setUint32(at + 2, value % 2 ** 32)
}

function readNumber(bytes: Uint8Array, at: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return view.getUint16(at) * 2 ** 32 + view.getUint32(at + 2)
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

async function compress(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer()
}

/** @throws CairnError UNEXPECTED_RESPONSE */
async function decompress(bytes: ArrayBuffer): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  try {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      size += value.length
      if (size > maxContentBytes) throw new RangeError(`more than ${maxContentBytes} bytes`)
      text += decoder.decode(value, { stream: true })
    }
  } catch (cause) {
    throw new CairnError('UNEXPECTED_RESPONSE', { message: 'A part of the drive is damaged', cause })
  }
}
