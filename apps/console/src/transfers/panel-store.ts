import { createStore, useStore } from '../state/store.ts'
import { dismissShownIn } from '../ui/toasts/toast-store.ts'

/** Whether the transfers panel is shown. */
const isShown = createStore(false)

export function showTransfers(shown: boolean): void {
  if (shown) dismissShownIn('transfers')
  isShown.set(shown)
}

export function areTransfersShown(): boolean {
  return isShown.get()
}

export function useTransfersShown(): boolean {
  return useStore(isShown)
}
