import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** A DNS server for TXT records, on a free loopback port. */
export type DnsServer = {
  /** `127.0.0.1:port`. */
  readonly address: string
  /** Texts by name; other names do not exist. */
  readonly texts: Map<string, string[]>
  /** TTL of all its records. */
  ttlSeconds: number
  /** Whether answers over UDP are truncated, so that clients retry over TCP. */
  isTruncating: boolean
  /** Queried names, in order. */
  readonly asked: string[]
  /** Answers with SERVFAIL while set. */
  isBroken: boolean
  /** Withholds the answers over UDP until the returned function is called. */
  hold(): () => void
  [Symbol.asyncDispose](): Promise<void>
}

const headBytes = 12
const textType = 16

/** Starts it. @see https://www.rfc-editor.org/rfc/rfc1035#section-4 */
export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const texts = new Map<string, string[]>()
  const asked: string[] = []
  const state = { isBroken: false, isTruncating: false, ttlSeconds: 60 }
  const answer = (query: Buffer): Buffer => {
    const { name, end } = readName(query)
    asked.push(name)
    const known = state.isBroken ? undefined : texts.get(name.toLowerCase())
    const code = state.isBroken ? 2 : known === undefined ? 3 : 0
    return writeAnswer(query, end, code, known ?? [], state.ttlSeconds)
  }
  let held: (() => void)[] | undefined
  const reply = (query: Buffer, from: RemoteInfo): void => {
    const whole = answer(query)
    // An answer to another query comes first and must be ignored.
    const stray = Buffer.from(whole)
    stray.writeUInt16BE(whole.readUInt16BE(0) ^ 1, 0)
    socket.send(stray, from.port, from.address)
    if (state.isTruncating) {
      whole.writeUInt16BE(whole.readUInt16BE(2) | 0x0200, 2)
      whole.writeUInt16BE(0, 6)
    }
    socket.send(state.isTruncating ? whole.subarray(0, readName(query).end) : whole, from.port, from.address)
  }
  socket.on('message', (query, from) => {
    if (held === undefined) reply(query, from)
    else held.push(() => reply(query, from))
  })
  const streams = createServer((stream) => {
    stream.once('data', (query) => {
      const whole = answer(query.subarray(2))
      const length = Buffer.alloc(2)
      length.writeUInt16BE(whole.length)
      // In two pieces, as networks deliver.
      stream.write(Buffer.concat([length, whole.subarray(0, 5)]))
      stream.end(whole.subarray(5))
    })
  })
  streams.listen(0, '127.0.0.1')
  await once(streams, 'listening')
  const address = streams.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${port}`,
    texts,
    asked,
    get ttlSeconds() {
      return state.ttlSeconds
    },
    set ttlSeconds(value) {
      state.ttlSeconds = value
    },
    get isTruncating() {
      return state.isTruncating
    },
    set isTruncating(value) {
      state.isTruncating = value
    },
    get isBroken() {
      return state.isBroken
    },
    set isBroken(value) {
      state.isBroken = value
    },
    hold() {
      held = []
      return () => {
        const all = held ?? []
        held = undefined
        for (const send of all) send()
      }
    },
    async [Symbol.asyncDispose]() {
      streams.close()
      socket.close()
      await once(socket, 'close')
    },
  }
}

/** Returns the name of the first question, and where the question ends. */
function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = headBytes
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), end: at + 5 }
}

function writeAnswer(query: Buffer, end: number, code: number, texts: readonly string[], ttlSeconds: number): Buffer {
  const head = Buffer.alloc(headBytes)
  query.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(texts.length, 6)
  const records = texts.map((text) => {
    // Strings of a TXT record have at most 255 bytes, so longer texts are split.
    const parts = text.match(/.{1,255}/gs) ?? ['']
    const data = Buffer.concat(parts.flatMap((part) => [Buffer.of(part.length), Buffer.from(part, 'latin1')]))
    const record = Buffer.alloc(12)
    // The name of the question.
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(textType, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt32BE(ttlSeconds, 6)
    record.writeUInt16BE(data.length, 10)
    return Buffer.concat([record, data])
  })
  return Buffer.concat([head, query.subarray(headBytes, end), ...records])
}
