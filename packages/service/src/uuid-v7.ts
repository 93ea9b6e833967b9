import { randomFillSync } from 'node:crypto'

/** Random bytes for several ids: requesting a few at a time takes as long as requesting many. */
const pool = Buffer.alloc(8 * 128)
let usedBytes = pool.length
let lastMs = 0
let sequence = 0

/**
 * Creates a UUIDv7: sorts by time, and within a millisecond of this process by order of creation, even when the clock
 * goes back.
 * @see https://www.rfc-editor.org/rfc/rfc9562#section-5.7
 */
export function uuidv7(nowMs: number): string {
  sequence++
  if (nowMs > lastMs) {
    lastMs = nowMs
    sequence = 0
  } else if (sequence > 0xfff) {
    lastMs++
    sequence = 0
  }
  if (usedBytes === pool.length) {
    randomFillSync(pool)
    usedBytes = 0
  }
  const variant = ((pool[usedBytes] ?? 0) & 0x3f) | 0x80
  const hex = pool.toString('hex', usedBytes + 1, usedBytes + 8)
  usedBytes += 8
  const time = lastMs.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-${variant.toString(16)}${hex.slice(0, 2)}-${hex.slice(2)}`
}

/**
 * Returns a UUIDv7 that sorts after `previous`: `id`, unless the process that created `previous` has a clock ahead. Returns `id` if
 * they are equal, too.
 */
export function idAfter(previous: string | undefined, id: string): string {
  if (previous === undefined || id >= previous) return id
  const time = (Number.parseInt(previous.slice(0, 8) + previous.slice(9, 13), 16) + 1).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${id.slice(13)}`
}
