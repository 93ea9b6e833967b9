/** Compares in constant time. */
export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length
  for (const [i, byte] of one.entries()) difference |= byte ^ (other[i] ?? 0)
  return difference === 0
}
