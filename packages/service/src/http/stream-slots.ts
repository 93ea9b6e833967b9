/** How many streams there may be. */
export type StreamLimits = {
  /** Streams at once: each holds memory however slow its reader is. */
  most: number
  /** Streams of one address, so that no one reader has them all. */
  perAddressMost: number
  /** Addresses that speak for many, such as proxies, and this machine's own; none unless told. */
  isExempt?: (address: string) => boolean
}

export type StreamSlots = {
  /** Takes a place, to be given back by what is returned; undefined when there is none. */
  take(address: string): (() => void) | undefined
}

/** Counts streams under way, all together and for each address. */
export function createStreamSlots({ most, perAddressMost, isExempt = () => false }: StreamLimits): StreamSlots {
  const byAddress = new Map<string, number>()
  let open = 0
  return {
    take(address) {
      const own = byAddress.get(address) ?? 0
      if (open >= most || (own >= perAddressMost && !isExempt(address))) return undefined
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
