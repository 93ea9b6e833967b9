import { CairnError } from '@cairn/protocol'
import { type ByteRange, chooseRanges } from '@cairn/service'
import { rangeCounts } from '../../http/if-range.ts'
import { type Answer, type ContentRequest, notModified } from '../answer.ts'
import { isNotModified } from './entity-tags.ts'
import { contentRange, layOutRanges } from './multipart-ranges.ts'

/** Bytes of known length with random access. */
export type Readable = {
  sizeBytes: number
  read(range: ByteRange): Uint8Array | AsyncIterable<Uint8Array>
}

/**
 * Answers with all bytes, the requested ranges, or 304. The length is known before the first byte is sent, and
 * nothing is read for HEAD or for a client whose copy is valid.
 * @throws CairnError INVALID_RANGE, with the size in `details`
 */
export function serveBytes(
  request: ContentRequest,
  content: Readable,
  headers: Record<string, string> & { etag: string; 'content-type': string },
  tags: readonly string[] = [headers.etag],
): Answer {
  const { sizeBytes } = content
  if (isNotModified(request.headers, tags)) return notModified(headers)
  const common = { ...headers, 'accept-ranges': 'bytes' }
  const range = rangeCounts(request.headers.ifRange, headers.etag) ? request.headers.range : undefined
  const choice = chooseRanges(range, sizeBytes)
  if (choice.kind === 'none') throw new CairnError('INVALID_RANGE', { details: { sizeBytes } })
  if (choice.kind === 'whole') {
    return {
      status: 200,
      headers: { ...common, 'content-length': String(sizeBytes) },
      ...bodyOf(request, () => content.read({ start: 0, end: sizeBytes })),
    }
  }
  const [only] = choice.ranges
  if (choice.ranges.length === 1 && only !== undefined) {
    return {
      status: 206,
      headers: {
        ...common,
        'content-range': contentRange(only, sizeBytes),
        'content-length': String(only.end - only.start),
      },
      ...bodyOf(request, () => content.read(only)),
    }
  }
  const parts = layOutRanges(choice.ranges, headers['content-type'], sizeBytes)
  const body = async function* (): AsyncGenerator<Uint8Array> {
    for (const { head, range } of parts.parts) {
      yield head
      const bytes = content.read(range)
      if (bytes instanceof Uint8Array) yield bytes
      else yield* bytes
    }
    yield parts.tail
  }
  return {
    status: 206,
    headers: { ...common, 'content-type': parts.contentType, 'content-length': String(parts.lengthBytes) },
    ...(request.method === 'HEAD' ? {} : { body }),
  }
}

function bodyOf(request: ContentRequest, read: () => Uint8Array | AsyncIterable<Uint8Array>): Pick<Answer, 'body'> {
  if (request.method === 'HEAD') return {}
  const bytes = read()
  return { body: bytes instanceof Uint8Array ? bytes : () => bytes }
}

/** Wraps bytes that are already in memory. */
export function bytesInMemory(bytes: Uint8Array): Readable {
  return { sizeBytes: bytes.length, read: ({ start, end }) => bytes.subarray(start, end) }
}
