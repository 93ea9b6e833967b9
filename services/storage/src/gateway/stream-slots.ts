/** Streams at once. Each holds about 4 MiB however slow its reader is, so that this bounds memory to about 1 GiB. */
export const streamsMost = 256
/** Streams of one address, so that no one reader has them all. */
export const streamsPerAddressMost = 64

export type StreamSlots = {
  /** Takes a place, to be given back by what is returned; undefined when there is none. */
  take(address: string): (() => void) | undefined
}

/**
 * Counts streams under way, all together and for each address.
 * @param isExempt addresses that speak for many, such as proxies, and this machine's own.
 */
export function createStreamSlots(isExempt: (address: string) => boolean): StreamSlots {
  const byAddress = new Map<string, number>()
  let open = 0
  return {
    take(address) {
      const own = byAddress.get(address) ?? 0
      if (open >= streamsMost || (own >= streamsPerAddressMost && !isExempt(address))) return undefined
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
