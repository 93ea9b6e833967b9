import { connect, type Socket } from 'node:net'

/** A connection that a test holds, with everything received on it. */
export type Held = {
  readonly socket: Socket
  readonly answer: () => string
  /** Resolves when the connection is closed, by whichever side. */
  readonly closed: Promise<void>
}

/** Pause between two bytes of a slow sender. */
const dripMs = 100

/** Opens a connection and sends a text. @param from local address to come from */
export function hold(url: string, text: string, from = '127.0.0.1'): Held {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress: from })
  let answer = ''
  socket.setEncoding('latin1').on('data', (piece) => {
    answer += piece
  })
  socket.on('error', () => undefined)
  socket.write(text)
  // Not `once` of node:events, which would fail with the connection.
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return { socket, answer: () => answer, closed }
}

/** Holds a connection open by sending a byte now and then. */
export function drip(url: string, text: string, byte = 'x', from?: string): Held {
  const held = hold(url, text, from)
  const timer = setInterval(() => held.socket.write(byte), dripMs)
  held.closed.finally(() => clearInterval(timer)).catch(() => undefined)
  return held
}

/** The head of a POST whose JSON body is longer than what is sent of it. */
export function jsonHead(path: string, headers = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}Content-Length: 5000\r\n\r\n{`
}

/** The head of an upload, with its length as a header, such as `Content-Length: 10`. */
export function uploadHead(apiKey: string, lengthHeader: string): string {
  return `POST /api/v0/add HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: multipart/form-data; boundary=b\r\n${lengthHeader}\r\n\r\n`
}

/** The start of an upload body before the bytes of a file, and its end. */
export const filePart = (name: string): string =>
  `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
export const uploadEnd = '\r\n--b--\r\n'

/** Waits until the received text contains another one. */
export async function until(held: Held, text: string): Promise<void> {
  while (!held.answer().includes(text)) {
    if (held.socket.closed) throw new Error(`closed before "${text}" came: ${held.answer().slice(0, 500)}`)
    await new Promise<void>((resolve) => {
      held.socket.once('data', () => resolve()).once('close', () => resolve())
    })
  }
}
