import { CairnError, headerOf } from '@cairn/protocol'
import { beginRequest } from '../local/begin-request.ts'
import { readBlob } from '../local/blob-file.ts'
import { freeOnceSent, freeSent } from '../local/sent-pieces.ts'
import type { StreamedAnswer, StreamedRequest } from '../local-source.ts'
import { gatherBytes } from '../upload/gather.ts'

const maxAnswerBytes = 64 * 1024 * 1024

/** Whether the body is sent while it is read. */
export const sendsWhileReading: boolean = true

/** Browsers gather a body before they send it; Node does not. */
export async function gatherBody(_body: AsyncIterable<Uint8Array>, _signal?: AbortSignal): Promise<Blob> {
  throw new TypeError('a body is sent while it is read')
}

/**
 * Copies large pieces of a source that may fill its buffer again as soon as the next piece is read: by then, the piece may
 * still be on its way. Small ones are copied when they are joined.
 */
export async function* keepPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    if (piece.length < gatherBytes) {
      yield piece
      continue
    }
    const copy = new Uint8Array(piece)
    freeOnceSent(copy)
    yield copy
  }
}

/**
 * Sends a request whose body is produced on the way. Connects once its first piece is there: a service soon closes a connection
 * on which nothing arrives, and a resumed upload first reads all that the service has.
 */
export async function sendStreamed(send: StreamedRequest): Promise<StreamedAnswer> {
  const pieces = (send.body instanceof Blob ? readBlob(send.body) : send.body)[Symbol.asyncIterator]()
  const first = await unlessAborted(pieces.next(), send.signal).catch((error: unknown) => {
    // What it reads is closed, too, if the signal aborted.
    Promise.resolve(pieces.return?.()).catch(() => undefined)
    throw error
  })
  return sendPieces(send, startWith(first, pieces))
}

/** Waits for a piece until the signal aborts. @throws the reason of the signal */
function unlessAborted<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    pending.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Yields the first piece and then the others. */
async function* startWith(
  first: IteratorResult<Uint8Array>,
  others: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (let next = first; next.done !== true; next = await others.next()) yield next.value
  } finally {
    await others.return?.()
  }
}

function sendPieces(send: StreamedRequest, body: AsyncIterable<Uint8Array>): Promise<StreamedAnswer> {
  const { url, method = 'POST', headers, contentLength, signal } = send
  return new Promise((done, fail) => {
    const length = contentLength === undefined ? {} : { 'content-length': String(contentLength) }
    const request = beginRequest(url, { method, headers: { ...headers, ...length }, signal })
    let answered = false
    /** Whether the service stored the body, although it may not have all of it. */
    let accepted = false
    request.on('error', (error) => {
      // A server that has answered may close before it has read the body: the answer counts.
      if (!answered) fail(error)
    })
    let failWrite: ((error: Error) => void) | undefined
    // A server that switches protocols ends the request without an error.
    request.on('close', () => {
      const closed = new Error('the server sent no response')
      if (!answered) fail(closed)
      // Before a request is connected, Node drops what it was given, and reports nothing: the source would stay open.
      failWrite?.(closed)
    })
    request.on('response', (response) => {
      answered = true
      const { statusCode: status = 0 } = response
      accepted = status >= 200 && status <= 299
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        text += piece
        if (text.length > maxAnswerBytes) response.destroy(new CairnError('UNEXPECTED_RESPONSE'))
      })
      response.on('error', fail)
      response.on('end', () => {
        const answer = { status, header: (name: string) => headerOf(response.headers, name), text }
        if (request.writableEnded) return done(answer)
        // Answered before all of it was read: the rest is not sent, and the connection is of no further use.
        request.destroy()
        if (!accepted) return done(answer)
        // A service that knows the upload by its key has no use for the body. It is still read to its end, for its CID.
        unlessAborted(pumping, signal).then(() => done(answer), fail)
      })
    })
    const write = (piece: Uint8Array): Promise<void> =>
      new Promise((written, failed) => {
        failWrite = failed
        request.write(piece, (error) => {
          if (error) return failed(error)
          freeSent(piece)
          written()
        })
      })
    const pump = async (): Promise<void> => {
      let before: Promise<void> = Promise.resolve()
      for await (const piece of body) {
        await before.catch((error: unknown) => {
          if (!accepted) throw error
        })
        if (accepted) continue
        if (answered || request.destroyed) return
        // Only skipped after all pieces before it are sent. Some runtimes treat a write without bytes as the end of the body.
        if (piece.length === 0) continue
        before = write(piece)
        // Awaited later; a failure until then is not an unhandled rejection.
        before.catch(() => undefined)
      }
      if (accepted) return
      await before
      request.end()
      // In a later turn of the event loop, after the end of the body was passed on.
      if (send.onEnd !== undefined) setImmediate(send.onEnd)
    }
    const pumping = pump()
    pumping.catch((error: unknown) => {
      // An answer counts, whatever happens to the rest of the body; see above for one that needs it.
      if (answered) return
      request.destroy()
      fail(error)
    })
  })
}
