/** Bits of Go's file modes that are not permissions, by the bit of a UnixFS mode. */
export const specialBits = [
  [0o4000, 2 ** 23],
  [0o2000, 2 ** 22],
  [0o1000, 2 ** 20],
] as const

/** Returns the mode of a node from one that Go sent, whose other bits name the kind of the entry. */
export function fromGoMode(goMode: number): number {
  let mode = goMode & 0o777
  for (const [unix, go] of specialBits) if (Math.floor(goMode / go) % 2 === 1) mode += unix
  return mode
}
