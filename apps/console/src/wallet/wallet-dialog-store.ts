import { useSyncExternalStore } from 'react'

/** Whether the wallet dialog is open, for all components that open it. */
let isOpen = false
const listeners = new Set<() => void>()

export function setWalletDialog(open: boolean): void {
  isOpen = open
  for (const listener of listeners) listener()
}

/** Opens the dialog: to connect and sign in or, for signed-in users, the account sheet. */
export function openWalletDialog(): void {
  setWalletDialog(true)
}

export function useWalletDialog(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOpen,
  )
}
