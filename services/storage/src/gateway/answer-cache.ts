import type { IncomingMessage } from 'node:http'
import type { Answer } from './answer.ts'

/** A small answer that is there as a whole. */
export type KeptAnswer = { headers: Record<string, string>; body: string | Uint8Array }

export type AnswerCache = {
  /** What identifies the answer to a request, or undefined where it depends on more than is worth comparing. */
  keyOf(request: IncomingMessage, url: string): string | undefined
  get(key: string): KeptAnswer | undefined
  /** Keeps a good answer of few bytes; others are passed over. */
  keep(key: string, answer: Answer): void
}

/**
 * How long an answer is given again without asking the store. Content never changes, but it can be deleted: this is how
 * long it may then still be seen here.
 */
const lifetimeMs = 1000
const bodyBytesMost = 65_536
const totalBytesMost = 64 * 1_048_576
const keyLengthMost = 1024

/** Headers that make an answer depend on more than its address. */
const particular = [
  'range',
  'if-range',
  'if-none-match',
  'cache-control',
  'service-worker',
  'x-forwarded-host',
  'x-forwarded-proto',
] as const

/** Keeps answers that many ask for at once, for a second, after their blocks were verified. */
export function createAnswerCache(now: () => number): AnswerCache {
  const kept = new Map<string, KeptAnswer & { sizeBytes: number; until: number }>()
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
      return key.length > keyLengthMost ? undefined : key
    },
    get(key) {
      const answer = kept.get(key)
      if (answer === undefined) return undefined
      if (answer.until > now()) return answer
      drop(key)
      return undefined
    },
    keep(key, { status, headers, body }) {
      if (status !== 200 || body === undefined || typeof body === 'function' || body.length > bodyBytesMost) return
      // What a name leads to may be another thing at once, and whoever published it wants to see that.
      if (headers['ipfs-uri']?.startsWith('ipns:')) return
      drop(key)
      const sizeBytes = body.length + key.length * 2 + 2048
      const time = now()
      // Entries stand in the order they were kept, so the old ones are in front.
      for (const [oldest, { until }] of kept) {
        if (until > time && totalBytes + sizeBytes <= totalBytesMost) break
        drop(oldest)
      }
      // A view would keep all of the slab it lies in.
      kept.set(key, {
        headers,
        body: typeof body === 'string' ? body : Buffer.from(body),
        sizeBytes,
        until: time + lifetimeMs,
      })
      totalBytes += sizeBytes
    },
  }
}
