import { dealSpare } from '@cairn/crypto'
import type { Spare } from '@cairn/protocol'

type PlainKey = { readonly masterKey: string }

// A repeated save of a key uses the same spare set, because parts of different sets on different nodes would be useless.
const dealt = new WeakMap<PlainKey, Spare[]>()

/** Returns what each node receives of the spare set of a key, in the order of the nodes. */
export function spareOf(key: PlainKey): Spare[] {
  const known = dealt.get(key) ?? dealSpare(key.masterKey)
  dealt.set(key, known)
  return known
}
