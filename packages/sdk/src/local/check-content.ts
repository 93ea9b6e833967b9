import { CairnError } from '@cairn/protocol'
import { keepPieces } from '#platform/send-body'
import { iterateStream } from '../iterate-stream.ts'
import { isBytes } from './is-bytes.ts'

// Programs without types pass anything, and the types of Node allow text in a stream. Unchecked, a text would be stored as zeros,
// and an object as an empty file or as "[object Object]".

/** @throws CairnError INVALID_REQUEST */
export function refuseContent(content: unknown, subject: string, expected: string): never {
  throw new CairnError('INVALID_REQUEST', {
    message: `${subject} must be ${expected}, but is ${describe(content)}`,
    hint: 'Wrap an ArrayBuffer: new Uint8Array(buffer). Convert an object to a text: JSON.stringify(object).',
  })
}

/**
 * Returns a function that reads a stream: its pieces may be used until the next but one is read.
 * @throws CairnError INVALID_REQUEST for what is not a stream, or another collection of pieces; while it is read, for a piece that
 *   is not bytes, such as a text
 */
export function openStream(source: AsyncIterable<Uint8Array>): () => AsyncIterable<Uint8Array> {
  // Bytes of another realm, such as a test environment.
  if (isBytes(source)) return () => only(source)
  requireIterable(source)
  return () => keepPieces(readPieces(source))
}

async function* only(piece: Uint8Array): AsyncGenerator<Uint8Array> {
  yield piece
}

/** @throws CairnError INVALID_REQUEST */
export function requireIterable(source: unknown): void {
  const isObject = typeof source === 'object' && source !== null
  if (isObject && (source instanceof ReadableStream || Symbol.asyncIterator in source || Symbol.iterator in source))
    return
  refuseContent(source, 'The content', 'bytes, a Blob or a stream')
}

/** Yields the pieces of a stream. @throws CairnError INVALID_REQUEST for a piece that is not bytes */
export async function* readPieces(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of stream instanceof ReadableStream ? iterateStream(stream) : stream) {
    if (!isBytes(piece)) refusePiece(piece)
    yield piece
  }
}

function refusePiece(piece: unknown): never {
  throw new CairnError('INVALID_REQUEST', {
    message: `The stream must yield bytes, but yields ${describe(piece)}`,
    hint: 'Read a file without an encoding, and pass a stream of text through a TextEncoderStream.',
  })
}

/**
 * Refuses a text where bytes are expected: it may come from a user, and as a path, it would upload a file of the machine.
 * @throws CairnError INVALID_REQUEST
 */
export function refuseText(content: unknown): void {
  if (typeof content !== 'string') return
  throw new CairnError('INVALID_REQUEST', {
    message: 'This call takes no text',
    hint: 'Use uploadText for a text and uploadFile for a path, or uploadEncryptedText and uploadEncrypted.',
  })
}

/** Encodes a text as UTF-8. @throws CairnError INVALID_REQUEST for anything else */
export function encodeText(text: unknown): Uint8Array<ArrayBuffer> {
  if (typeof text === 'string') return new TextEncoder().encode(text)
  return refuseContent(text, 'The content', 'a text')
}

/** Names what a program passed, without its content. */
function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'string') return 'a text'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object'
    ? `an object of type ${Object.prototype.toString.call(value).slice(8, -1)}`
    : `a ${typeof value}`
}
