import type { IncomingMessage } from 'node:http'
import { keepAliveTimeoutMs } from '@cairn/protocol'
import { isUpcoming } from '@cairn/service'
import type { Answer } from '../answer.ts'

/** A small answer that is complete in memory. */
export type KeptAnswer = { headers: Record<string, string>; body: Uint8Array; root: Uint8Array | undefined }

export type AnswerCache = {
  /** Key of the answer to a request, or undefined when it depends on more than is worth comparing. */
  keyOf(request: IncomingMessage, url: string): string | undefined
  get(key: string): KeptAnswer | undefined
  /** Returns an answer as it is sent on a connection that stays open. */
  encode(answer: KeptAnswer): Uint8Array
  /** Caches a small successful answer; ignores others. */
  keep(key: string, answer: Answer): void
}

/**
 * How long an answer is repeated without reading the store. Content never changes but can be deleted: deleted content
 * is visible here for at most this long.
 */
const lifetimeMs = 1000
const maxBodyBytes = 65_536
const maxTotalBytes = 64 * 1_048_576
const maxKeyLength = 1024

/** Request headers that make an answer depend on more than its URL. */
const particular = [
  'range',
  'if-match',
  'if-range',
  'if-none-match',
  'cache-control',
  'service-worker',
  'x-forwarded-host',
  'x-forwarded-proto',
] as const

/** Caches popular answers for a second, after their blocks were verified. */
export function createAnswerCache(now: () => number): AnswerCache {
  const kept = new Map<string, KeptAnswer & { sizeBytes: number; until: number }>()
  const encoded = new WeakMap<KeptAnswer, { date: string; bytes: Uint8Array }>()
  let totalBytes = 0

  const drop = (key: string): void => {
    totalBytes -= kept.get(key)?.sizeBytes ?? 0
    kept.delete(key)
  }

  return {
    keyOf({ method, headers }, url) {
      if (method !== 'GET') return undefined
      for (const name of particular) if (headers[name] !== undefined) return undefined
      const key = `${headers.host ?? ''} ${url} ${headers.accept ?? ''}`
      return key.length > maxKeyLength ? undefined : key
    },
    get(key) {
      const answer = kept.get(key)
      if (answer === undefined) return undefined
      if (isUpcoming(answer.until, now(), lifetimeMs)) return answer
      drop(key)
      return undefined
    },
    encode(answer) {
      const date = new Date(now()).toUTCString()
      const known = encoded.get(answer)
      if (known?.date === date) return known.bytes
      const bytes = encodeAnswer(answer, date)
      // One copy of the body in memory.
      answer.body = bytes.subarray(bytes.length - answer.body.length)
      encoded.set(answer, { date, bytes })
      return bytes
    },
    keep(key, { status, headers, body, root, isPrivate }) {
      // A signed link is valid until it expires or its upload is deleted.
      if (isPrivate || status !== 200 || body === undefined || typeof body === 'function' || body.length > maxBodyBytes)
        return
      // A name may change at any time, and its publisher expects to see the change.
      if (headers['ipfs-uri']?.startsWith('ipns:')) return
      drop(key)
      const sizeBytes = body.length + key.length * 2 + 2048
      const time = now()
      // Entries are in insertion order, so expired ones come first.
      for (const [oldest, { until }] of kept) {
        if (isUpcoming(until, time, lifetimeMs) && totalBytes + sizeBytes <= maxTotalBytes) break
        drop(oldest)
      }
      // A view would retain the whole slab it lies in.
      kept.set(key, {
        headers,
        body: Buffer.from(body),
        root,
        sizeBytes,
        until: time + lifetimeMs,
      })
      totalBytes += sizeBytes
    },
  }
}

/** Encodes an answer as the server of Node does. */
function encodeAnswer({ headers, body }: KeptAnswer, date: string): Uint8Array {
  const all = {
    ...headers,
    Date: date,
    Connection: 'keep-alive',
    'Keep-Alive': `timeout=${Math.floor(keepAliveTimeoutMs / 1000)}`,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${lines.join('')}\r\n`, 'latin1'), body])
}
