/** Returns the number of bytes of `value` (an integer from 0 to 2^53 - 1) as an unsigned LEB128 varint. */
export function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++
  return length
}

/** Writes `value` (an integer from 0 to 2^53 - 1) as an unsigned LEB128 varint and returns the offset after it. */
export function writeVarint(target: Uint8Array, offset: number, value: number): number {
  let rest = value
  let at = offset
  while (rest >= 0x80) {
    target[at++] = (rest % 0x80) | 0x80
    // Division, not shift: sizes exceed 2^32.
    rest = rest > 0x7fffffff ? Math.floor(rest / 0x80) : rest >>> 7
  }
  target[at++] = rest
  return at
}
