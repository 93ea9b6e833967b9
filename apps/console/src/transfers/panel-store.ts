import { useSyncExternalStore } from 'react'
import { dismissShownIn } from '../ui/toast-store.ts'

/** Whether the transfers panel is shown. */
let isShown = false
const listeners = new Set<() => void>()

export function showTransfers(shown: boolean): void {
  isShown = shown
  if (shown) dismissShownIn('transfers')
  for (const listener of listeners) listener()
}

export function areTransfersShown(): boolean {
  return isShown
}

export function useTransfersShown(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, areTransfersShown)
}
