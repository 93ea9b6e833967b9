import { createHash } from 'node:crypto'
import { KIB } from '@cairn/protocol'
import type { Feed } from '../../multipart/read-multipart.ts'
import { s3Error } from '../s3-error.ts'
import { sha256Hex } from './canonical-request.ts'
import { isSameSignature } from './signing-key.ts'
import type { ChunkSigning } from './verify-request.ts'

/** Maximum line of a chunk's head or of the trailer, in bytes. */
const maxLineBytes = KIB
const maxTrailerLines = 16
/** Maximum chunk: 5 GiB, the maximum of a whole body. */
const maxSizeDigits = 9

const emptySha256 = sha256Hex('')

/** Options for reading a chunked body. */
export type ChunkedOptions = {
  /** State that chunk signatures continue from; undefined for unsigned chunks. */
  signing: ChunkSigning | undefined
  hasTrailer: boolean
  /** Called with the trailer's headers, by lower-case name, before the body ends. */
  onTrailer(trailer: ReadonlyMap<string, string>): void
}

/**
 * Decodes the chunks of `aws-chunked`. The last signature is checked before the feed ends. If the feed fails, the caller must
 * discard the bytes it received.
 *
 * @throws CairnError `SignatureDoesNotMatch`, `IncompleteBody`, `InvalidRequest`, and what the feed throws
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
export function readChunkedBody(body: Feed, options: ChunkedOptions): Feed {
  return async (take) => {
    const reader = createChunkReader(options, take)
    await body(reader.write)
    reader.end()
  }
}

type State = 'head' | 'data' | 'data-end' | 'trailer' | 'over'

function createChunkReader({ signing, hasTrailer, onTrailer }: ChunkedOptions, take: Parameters<Feed>[0]) {
  let state: State = 'head'
  let line = ''
  let missingBytes = 0
  let hash = createHash('sha256')
  let chunkSignature = ''
  let previousSignature = signing?.seedSignature ?? ''
  const trailer: [string, string][] = []

  /** Reads up to a line break; returns undefined if it has not arrived yet. */
  const readLine = (piece: Uint8Array, from: number): { text: string; next: number } | undefined => {
    const end = piece.indexOf(10, from)
    line += Buffer.from(piece.buffer, piece.byteOffset + from, (end === -1 ? piece.length : end) - from).toString(
      'latin1',
    )
    if (line.length > maxLineBytes) throw s3Error('InvalidRequest', 'A line of the chunked body is too long.')
    if (end === -1) return undefined
    const text = line.replace(/\r$/, '')
    line = ''
    return { text, next: end + 1 }
  }

  const checkSignature = (algorithm: string, given: string, lines: readonly string[]): void => {
    if (signing === undefined) return
    const right = signing.signer.sign(algorithm, signing.time, [previousSignature, ...lines])
    if (!isSameSignature(given, right)) throw s3Error('SignatureDoesNotMatch', 'The signature of a chunk is wrong.')
    previousSignature = right
  }

  const endChunk = (): void => {
    const algorithm = 'AWS4-HMAC-SHA256-PAYLOAD'
    if (signing !== undefined) checkSignature(algorithm, chunkSignature, [emptySha256, hash.digest('hex')])
    hash = createHash('sha256')
  }

  const startChunk = (text: string): void => {
    const [, size, signature] = /^([0-9a-fA-F]+)(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(text) ?? []
    if (size === undefined || size.length > maxSizeDigits) {
      throw s3Error('InvalidRequest', 'The head of a chunk is not well-formed.')
    }
    if (signing !== undefined && signature === undefined) {
      throw s3Error('SignatureDoesNotMatch', 'A chunk has no signature.')
    }
    chunkSignature = signature ?? ''
    missingBytes = Number.parseInt(size, 16)
    if (missingBytes > 0) {
      state = 'data'
      return
    }
    endChunk()
    state = 'trailer'
  }

  const readTrailer = (text: string): void => {
    if (text === '') {
      endTrailer()
      return
    }
    const at = text.indexOf(':')
    if (!hasTrailer || at < 1 || trailer.length >= maxTrailerLines) {
      throw s3Error('InvalidRequest', 'The trailer of the chunked body is not well-formed.')
    }
    trailer.push([text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()])
  }

  const endTrailer = (): void => {
    state = 'over'
    const headers = new Map(trailer)
    const signature = headers.get('x-amz-trailer-signature') ?? ''
    headers.delete('x-amz-trailer-signature')
    if (hasTrailer) {
      const lines = [...headers].map(([name, value]) => `${name}:${value}\n`).join('')
      checkSignature('AWS4-HMAC-SHA256-TRAILER', signature, [sha256Hex(lines)])
    }
    onTrailer(headers)
  }

  const write = async (piece: Uint8Array): Promise<void> => {
    for (let at = 0; at < piece.length; ) {
      if (state === 'over') throw s3Error('InvalidRequest', 'There are bytes after the chunked body.')
      if (state === 'data') {
        const data = piece.subarray(at, at + missingBytes)
        if (signing !== undefined) hash.update(data)
        const taken = take(data)
        if (taken instanceof Promise) await taken
        missingBytes -= data.length
        at += data.length
        if (missingBytes === 0) state = 'data-end'
        continue
      }
      const read = readLine(piece, at)
      if (read === undefined) return
      at = read.next
      if (state === 'head') startChunk(read.text)
      else if (state === 'trailer') readTrailer(read.text)
      else if (read.text === '') {
        endChunk()
        state = 'head'
      } else throw s3Error('InvalidRequest', 'A chunk is longer than its declared length.')
    }
  }

  const end = (): void => {
    // Some clients omit the last line break.
    if (state === 'trailer' && line === '' && (trailer.length > 0 || !hasTrailer)) endTrailer()
    if (state !== 'over') throw s3Error('IncompleteBody', 'The chunked body ends before its last chunk.')
  }
  return { write, end }
}
