import { nameAsker } from './name-asker.ts'

/** How many things may be under way at once. */
export type SlotLimits = {
  /** All together: each holds memory or a descriptor however slow its other side is. */
  max: number
  /** Of one address (of IPv6, one /64), so that no single one has them all. */
  maxPerAddress: number
  /** Addresses that speak for many, such as proxies; none by default. They count towards `max` alone. */
  isExempt?: (address: string) => boolean
}

export type AddressSlots = {
  /** Acquires a slot; call what is returned to release it. Undefined when there is none. */
  acquire(address: string): (() => void) | undefined
}

/** Counts connections, requests or streams under way, all together and per address. */
export function createAddressSlots({ max, maxPerAddress, isExempt = () => false }: SlotLimits): AddressSlots {
  const byAddress = new Map<string, number>()
  let open = 0
  return {
    acquire(address) {
      const name = nameAsker(address)
      const own = byAddress.get(name) ?? 0
      if (open >= max || (own >= maxPerAddress && !isExempt(address))) return undefined
      open++
      byAddress.set(name, own + 1)
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        open--
        const left = (byAddress.get(name) ?? 1) - 1
        if (left > 0) byAddress.set(name, left)
        else byAddress.delete(name)
      }
    },
  }
}
