import { createStore, useStore } from '../state/store.ts'

/**
 * Addresses that files were shared with while the account has no drive, and when, in ms since 1970. Sharing alone does not start
 * a drive, which would save a key at the key nodes: they are in the memory of this page until the first change stores them.
 */
type Shared = ReadonlyMap<string, number>

const none: Shared = new Map()
const nothing: { account: string; shared: Shared } = { account: '', shared: none }
const noted = createStore(nothing)

export function noteShared(account: string, addresses: readonly string[]): void {
  const now = Date.now()
  noted.set({ account, shared: new Map([...readShared(account), ...addresses.map((one) => [one, now] as const)]) })
}

export function readShared(account: string | undefined): Shared {
  return sharedOf(noted.get(), account)
}

/** Clears the addresses after they are stored. */
export function clearShared(): void {
  noted.set(nothing)
}

export function useShared(account: string | undefined): Shared {
  return sharedOf(useStore(noted), account)
}

function sharedOf({ account, shared }: typeof nothing, wanted: string | undefined): Shared {
  return account === wanted ? shared : none
}
