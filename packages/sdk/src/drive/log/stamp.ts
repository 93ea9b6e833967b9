import { withoutTrailing } from '@cairn/protocol'

/**
 * Time of a change: ms since 1970 (9 digits of base 36), a counter (4 digits), and the device. Stamps are ordered as texts,
 * and no two changes have the same one.
 */
export type Stamp = string

export const stampPattern = /^[0-9a-z]{9}[0-9a-z]{4}-[\w-]{8}$/

const msDigits = 9
const counterDigits = 4
const maxCounter = 36 ** counterDigits - 1

/**
 * Returns a stamp after the newest one seen, and close to the clock: a hybrid logical clock. A device whose clock is slow
 * does not lose against changes that it has seen.
 */
export function createStamp(newest: Stamp | undefined, nowMs: number, device: string): Stamp {
  const seenMs = newest === undefined ? 0 : timeOf(newest)
  const seenCounter = newest === undefined ? 0 : Number.parseInt(newest.slice(msDigits, msDigits + counterDigits), 36)
  if (nowMs > seenMs) return writeStamp(nowMs, 0, device)
  return seenCounter < maxCounter ? writeStamp(seenMs, seenCounter + 1, device) : writeStamp(seenMs + 1, 0, device)
}

/** Returns the time of a stamp, in ms since 1970. */
export function timeOf(stamp: Stamp): number {
  return Number.parseInt(stamp.slice(0, msDigits), 36)
}

/** Returns the name of a device for its stamps: random for each run, so that two runs never share one. */
export function createDeviceName(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(6)))
}

/** Encodes random bytes as base64url. */
export function toBase64url(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes))
  return withoutTrailing(base64.replaceAll('+', '-').replaceAll('/', '_'), '=')
}

function writeStamp(ms: number, counter: number, device: string): Stamp {
  return `${ms.toString(36).padStart(msDigits, '0')}${counter.toString(36).padStart(counterDigits, '0')}-${device}`
}
