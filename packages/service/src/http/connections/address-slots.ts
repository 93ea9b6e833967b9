import { rateLimitKey } from '../rate-limit-key.ts'

/** Limits of concurrency. */
export type SlotLimits = {
  /** In total: each slot uses memory or a descriptor, however slow its peer is. */
  max: number
  /** Per address (for IPv6, per /64), so that no single one takes them all. */
  maxPerAddress: number
  /** Addresses that represent many clients, such as proxies; none by default. They count towards `max` only. */
  isExempt?: (address: string) => boolean
}

export type AddressSlots = {
  /** Acquires a slot and returns the function that releases it; undefined if there is none. */
  acquire(address: string): (() => void) | undefined
}

/** Counts open connections, requests or streams, in total and per address. */
export function createAddressSlots({ max, maxPerAddress, isExempt = () => false }: SlotLimits): AddressSlots {
  const byAddress = new Map<string, number>()
  let open = 0
  return {
    acquire(address) {
      const name = rateLimitKey(address)
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
