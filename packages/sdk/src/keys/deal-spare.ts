import { dealSpare } from '@cairn/crypto'
import type { Spare } from '@cairn/protocol'

type PlainKey = { readonly masterKey: string }

// A repeated save of one key deals the same spare set: parts of two sets on different nodes would be worth nothing.
const dealt = new WeakMap<PlainKey, Spare[]>()

/** Returns what each node receives of the spare set of a key, in the order of the nodes. */
export function spareOf(key: PlainKey): Spare[] {
  const known = dealt.get(key) ?? dealSpare(key.masterKey)
  dealt.set(key, known)
  return known
}
