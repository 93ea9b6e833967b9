import { CairnError } from '@cairn/protocol'
import { freeSent } from '../local/sent-pieces.ts'
import type { StreamedAnswer, StreamedRequest } from '../local-source.ts'

/** Whether the body is sent while it is read. */
export const sendsWhileReading: boolean = false

/** A body is gathered before the next piece of it is read. */
export function keepPieces(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return pieces
}

const blobBytes = 8 * 1024 * 1024

/**
 * Gathers a body into a Blob. Every few MiB become a Blob of their own, which the browser stores outside the memory of
 * the page, and on disk if it is large.
 */
export async function gatherBody(body: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<Blob> {
  const parts: Blob[] = []
  // One buffer for all: new memory costs a page more than the copy into it.
  const buffer = new Uint8Array(blobBytes)
  let filled = 0
  for await (const piece of body) {
    signal?.throwIfAborted()
    for (let rest = piece; rest.length > 0; ) {
      const part = rest.subarray(0, blobBytes - filled)
      buffer.set(part, filled)
      filled += part.length
      rest = rest.subarray(part.length)
      if (filled < blobBytes) continue
      parts.push(new Blob([buffer]))
      filled = 0
    }
    freeSent(piece)
  }
  parts.push(new Blob([buffer.subarray(0, filled)]))
  signal?.throwIfAborted()
  return new Blob(parts)
}

/**
 * Sends a body as a Blob, because browsers stream requests over HTTP/2 only. Reading, hashing and progress of the
 * reading happen before the first byte is sent; only XMLHttpRequest reports the progress of the sending.
 */
export async function sendStreamed(send: StreamedRequest): Promise<StreamedAnswer> {
  const body = send.body instanceof Blob ? send.body : await gatherBody(send.body, send.signal)
  return typeof XMLHttpRequest === 'undefined' ? sendQuietly(send, body) : sendWithProgress(send, body)
}

/** Service workers have no XMLHttpRequest, so there is no progress of the sending. */
async function sendQuietly(
  { url, method = 'POST', headers, signal }: StreamedRequest,
  body: Blob,
): Promise<StreamedAnswer> {
  const response = await fetch(url, { method, headers, body, signal, redirect: 'manual' })
  return { status: response.status, header: (name) => response.headers.get(name), text: await response.text() }
}

function sendWithProgress(
  { url, method = 'POST', headers, signal, onSent }: StreamedRequest,
  body: Blob,
): Promise<StreamedAnswer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const stop = () => {
      request.abort()
      reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
    request.onloadend = () => signal.removeEventListener('abort', stop)
    request.open(method, url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onSent?.(loaded, total)
    request.onerror = () => reject(new CairnError('NETWORK_ERROR'))
    request.onload = () => {
      // A key must not reach an unintended host. The browser has already followed the redirect, so the response is
      // rejected.
      if (request.responseURL !== '' && request.responseURL !== new URL(url, location.href).href) {
        reject(new CairnError('UNEXPECTED_RESPONSE', { message: 'The server responded with a redirect' }))
        return
      }
      resolve({
        status: request.status,
        header: (name) => request.getResponseHeader(name),
        text: request.responseText,
      })
    }
    onSent?.(0, body.size)
    request.send(body)
  })
}
