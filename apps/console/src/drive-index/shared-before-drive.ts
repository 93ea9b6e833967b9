import { useSyncExternalStore } from 'react'

/**
 * Addresses that files were shared with while the account has no drive, and when, in ms since 1970. Sharing alone does not start
 * a drive, which would save a key at the key nodes: they are in the memory of this page until the first change stores them.
 */
type Shared = ReadonlyMap<string, number>

const none: Shared = new Map()
let noted: { account: string; shared: Shared } = { account: '', shared: none }
const listeners = new Set<() => void>()

function change(next: typeof noted): void {
  noted = next
  for (const listener of listeners) listener()
}

export function noteShared(account: string, addresses: readonly string[]): void {
  const now = Date.now()
  change({ account, shared: new Map([...readShared(account), ...addresses.map((one) => [one, now] as const)]) })
}

export function readShared(account: string | undefined): Shared {
  return noted.account === account ? noted.shared : none
}

/** Clears the addresses after they are stored. */
export function clearShared(): void {
  change({ account: '', shared: none })
}

export function useShared(account: string | undefined): Shared {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => readShared(account),
  )
}
