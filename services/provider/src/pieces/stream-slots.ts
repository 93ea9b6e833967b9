import { CairnError } from '@cairn/protocol'

/** Payloads that are given out at once; each holds about 4 MiB. */
const streamsMost = 64
/** Of one address, so that no reader has them all. */
const streamsPerAddressMost = 16

/** Counts payloads under way, all together and by address. */
export type StreamSlots = {
  /** Takes a place; what is returned gives it back, once. @throws CairnError OVERLOADED */
  take(address: string): () => void
}

export function createStreamSlots(): StreamSlots {
  const byAddress = new Map<string, number>()
  let open = 0
  return {
    take(address) {
      const own = byAddress.get(address) ?? 0
      if (open >= streamsMost || own >= streamsPerAddressMost) {
        throw new CairnError('OVERLOADED', { retryAfterSeconds: 5 })
      }
      open++
      byAddress.set(address, own + 1)
      let isGiven = false
      return () => {
        if (isGiven) return
        isGiven = true
        open--
        const left = (byAddress.get(address) ?? 1) - 1
        if (left > 0) byAddress.set(address, left)
        else byAddress.delete(address)
      }
    },
  }
}
