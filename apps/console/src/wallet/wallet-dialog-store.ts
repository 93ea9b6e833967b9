import { createStore, useStore } from '../state/store.ts'

/** Whether the wallet dialog is open, for all components that open it. */
const isOpen = createStore(false)

export function setWalletDialog(open: boolean): void {
  isOpen.set(open)
}

/** Opens the dialog: to connect and sign in or, for signed-in users, the account sheet. */
export function openWalletDialog(): void {
  setWalletDialog(true)
}

export function useWalletDialog(): boolean {
  return useStore(isOpen)
}
