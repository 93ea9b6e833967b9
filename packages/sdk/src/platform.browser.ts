import { CairnError } from '@cairn/protocol'
import type { LocalPath, StreamedAnswer, StreamedRequest } from './local-source.ts'

// The browser's half of platform.ts.

/** SHA-256 through WebCrypto. */
export async function hashSha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
}

/** WebCrypto has Ed25519 for keys that it holds itself; others are used in JavaScript. */
export const signEd25519 = undefined

/** A page has no folder to look in: the network of its own origin. */
export function findNetwork(): string {
  throw new CairnError('NO_NETWORK', { hint: 'Give the URL of a network.' })
}

export function readProfile(path: string): Promise<unknown> {
  throw new CairnError('NO_NETWORK', { message: `A browser cannot read ${path}`, hint: 'Give the URL of a network.' })
}

export function openPath(path: string): Promise<LocalPath> {
  throw new CairnError('FILE_UNREADABLE', {
    message: `A browser cannot read ${path}`,
    hint: 'Give a File, Blob or FileList.',
  })
}

/** Whether a body goes out while it is read. */
export const sendsWhileReading: boolean = false

const blobBytes = 8 * 1024 * 1024

/**
 * Gathers a body into a Blob. Every few MiB become a Blob of their own, which the browser keeps outside the page's memory, on
 * disk where it is large.
 */
export async function gatherBody(body: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<Blob> {
  const parts: Blob[] = []
  let pieces: Uint8Array<ArrayBuffer>[] = []
  let gathered = 0
  for await (const piece of body) {
    signal?.throwIfAborted()
    pieces.push(new Uint8Array(piece))
    gathered += piece.length
    if (gathered < blobBytes) continue
    parts.push(new Blob(pieces))
    pieces = []
    gathered = 0
  }
  parts.push(new Blob(pieces))
  signal?.throwIfAborted()
  return new Blob(parts)
}

/**
 * Sends a body as a Blob: browsers stream requests over HTTP/2 only. It is read, hashed and counted as progress while it is
 * gathered, before its first byte is sent; what is sent is told by XMLHttpRequest, which alone knows it.
 */
export async function sendStreamed(send: StreamedRequest): Promise<StreamedAnswer> {
  const body = send.body instanceof Blob ? send.body : await gatherBody(send.body, send.signal)
  return typeof XMLHttpRequest === 'undefined' ? sendQuietly(send, body) : sendTelling(send, body)
}

/** In service workers, which have no XMLHttpRequest, nothing is told of what is sent. */
async function sendQuietly(
  { url, method = 'POST', headers, signal }: StreamedRequest,
  body: Blob,
): Promise<StreamedAnswer> {
  const response = await fetch(url, { method, headers, body, signal, redirect: 'manual' })
  return { status: response.status, header: (name) => response.headers.get(name), text: await response.text() }
}

function sendTelling(
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
      // A key must not travel to where nobody meant it to go; the browser has followed by then, so the answer is not taken.
      if (request.responseURL !== '' && request.responseURL !== new URL(url, location.href).href) {
        reject(new CairnError('UNEXPECTED_RESPONSE', { message: 'The server answered with a redirect' }))
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

function noDisk(): never {
  throw new CairnError('FILE_UNREADABLE', { message: 'A browser has no paths', hint: 'Use openFile or downloadBytes.' })
}

export async function openPart(_target: string, _overwrite: boolean): Promise<never> {
  return noDisk()
}

export async function makeFolder(_target: string, _mayExist: boolean): Promise<never> {
  return noDisk()
}

export function joinPath(folder: string, name: string): string {
  return `${folder}/${name}`
}

export async function measure(): Promise<never> {
  return noDisk()
}

export function mimeTypeOf(): false {
  return false
}
