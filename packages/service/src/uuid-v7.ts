import { randomFillSync } from 'node:crypto'

const random = new Uint8Array(16)
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
  randomFillSync(random)
  const hex = Buffer.from(random.buffer).toString('hex')
  const time = lastMs.toString(16).padStart(12, '0')
  const variant = ((random[8] ?? 0) & 0x3f) | 0x80
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-${variant.toString(16)}${hex.slice(18, 20)}-${hex.slice(20)}`
}
