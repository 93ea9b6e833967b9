import { CairnError } from '@cairn/protocol'
import type { LocalPath, StreamedAnswer, StreamedRequest } from './local-source.ts'

// The browser's half of platform.ts.

/** SHA-256 through WebCrypto. */
export async function hashSha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
}

/** A page has no folder to look in: the network of its own origin. */
export function findProfile(): Promise<unknown> {
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

const blobBytes = 8 * 1024 * 1024

/**
 * Sends a body gathered into a Blob: browsers stream requests over HTTP/2 only. The body is read, hashed and counted as
 * progress while it is gathered, before its first byte is sent. Every few MiB become a Blob of their own, which the
 * browser keeps outside the page's memory, on disk where it is large.
 */
export async function sendStreamed(send: StreamedRequest): Promise<StreamedAnswer> {
  const parts: Blob[] = []
  let pieces: Uint8Array<ArrayBuffer>[] = []
  let gathered = 0
  for await (const piece of send.body) {
    send.signal.throwIfAborted()
    pieces.push(new Uint8Array(piece))
    gathered += piece.length
    if (gathered < blobBytes) continue
    parts.push(new Blob(pieces))
    pieces = []
    gathered = 0
  }
  parts.push(new Blob(pieces))
  send.signal.throwIfAborted()
  const response = await fetch(send.url, {
    method: 'POST',
    headers: send.headers,
    body: new Blob(parts),
    signal: send.signal,
    redirect: 'manual',
  })
  return { status: response.status, header: (name) => response.headers.get(name), text: await response.text() }
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
