import { CairnError } from '@cairn/protocol'
import { type OpenAnswer, openAnswer, traceHeaders } from '@cairn/service'

export type PayloadRequest = {
  url: string
  authorization: string | undefined
  /** Offsets of the first byte, and after the last one. */
  start: number
  end: number
  /** Length of the whole payload. */
  payloadBytes: number
  minBytesPerSecond: number
  /** Averaging time of the minimum rate, and time limit for the first byte of an answer. */
  windowMs: number
  signal: AbortSignal
}

/** Statuses of a source that are worth a retry. */
const passing: readonly number[] = [408, 425, 429]

/**
 * Streams the bytes of a payload from its source, from `start` up to, but not including, `end`: exactly these, unless
 * it throws. Redirects are not followed, so that only configured sources are queried.
 *
 * @throws CairnError UPSTREAM_FAILED when a retry may succeed; HTTP_ERROR, UNEXPECTED_RESPONSE when not; the signal's
 * reason
 */
export async function* fetchPayload(request: PayloadRequest): AsyncGenerator<Uint8Array, void, undefined> {
  const { url, authorization, start, end, payloadBytes, minBytesPerSecond, windowMs, signal } = request
  const slow = new AbortController()
  let timer = setTimeout(() => slow.abort(cut('The source did not respond in time')), windowMs)
  try {
    const answer = await openAnswer(new URL(url), {
      headers: {
        'accept-encoding': 'identity',
        ...(authorization === undefined ? {} : { authorization }),
        ...rangeOf(request),
        ...traceHeaders(),
      },
      signal: AbortSignal.any([signal, slow.signal]),
    })
    let toSkip = 0
    try {
      toSkip = bytesToSkip(answer, request)
    } catch (error) {
      await answer.body.return?.()
      throw error
    }
    let left = end - start
    let windowBytes = 0
    const startWindow = (): void => {
      clearTimeout(timer)
      windowBytes = 0
      timer = setTimeout(() => slow.abort(cut('The source sent its response too slowly')), windowMs)
    }
    startWindow()
    for await (const piece of answer.body) {
      windowBytes += piece.length
      if (windowBytes >= (minBytesPerSecond * windowMs) / 1000) startWindow()
      const bytes = piece.subarray(toSkip)
      toSkip -= piece.length - bytes.length
      if (bytes.length > left && (answer.status === 206 || end === payloadBytes)) {
        throw unexpected('The source sent more bytes than requested')
      }
      const wanted = bytes.subarray(0, left)
      left -= wanted.length
      if (wanted.length > 0) yield wanted
      // A source without range support sends the rest, too.
      if (left === 0 && answer.status === 200 && end < payloadBytes) break
    }
    if (left > 0) throw cut('The source closed the connection early')
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (slow.signal.aborted) throw slow.signal.reason
    if (CairnError.is(error)) throw error
    throw cut('The source is unreachable or closed the connection early', error)
  } finally {
    clearTimeout(timer)
    slow.abort()
  }
}

function rangeOf({ start, end, payloadBytes }: PayloadRequest): { range?: string } {
  if (end < payloadBytes) return { range: `bytes=${start}-${end - 1}` }
  return start === 0 ? {} : { range: `bytes=${start}-` }
}

/**
 * Returns the number of unrequested bytes at the start of an answer. @throws CairnError for an answer that is not the
 * payload
 */
function bytesToSkip({ status, header }: OpenAnswer, { start: wanted, payloadBytes }: PayloadRequest): number {
  if (status !== 200 && status !== 206) {
    const message = `The source returned status ${status}`
    if (status >= 500 || passing.includes(status)) throw cut(message)
    throw new CairnError('HTTP_ERROR', { message })
  }
  if ((header('content-encoding') ?? 'identity') !== 'identity') {
    throw unexpected('The source sent an encoded response')
  }
  if (status === 200) {
    const length = header('content-length')
    if (length !== null && Number(length) !== payloadBytes) throw wrongLength(length)
    return wanted
  }
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(header('content-range') ?? '') ?? []
  if (Number(start) !== wanted) throw unexpected('The source returned a different range than requested')
  if (total !== undefined && total !== '*' && Number(total) !== payloadBytes) throw wrongLength(total)
  return 0
}

function wrongLength(length: string): CairnError {
  return unexpected(`The source has ${length.slice(0, 20)} bytes, which is not the length of the piece`)
}

function cut(message: string, cause?: unknown): CairnError {
  return new CairnError('UPSTREAM_FAILED', { message, cause })
}

function unexpected(message: string): CairnError {
  return new CairnError('UNEXPECTED_RESPONSE', { message })
}
