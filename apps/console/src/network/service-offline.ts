import { type CairnError, errorTable } from '@cairn/protocol'
import { useSyncExternalStore } from 'react'

/** Whether the storage service does not answer, for the whole console. */
let isOffline = false
const listeners = new Set<() => void>()

export function setServiceOffline(next: boolean): void {
  if (next === isOffline) return
  isOffline = next
  for (const listener of listeners) listener()
}

export function isServiceOffline(): boolean {
  return isOffline
}

/** Whether the storage service is known not to answer, followed. */
export function useServiceOffline(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, isServiceOffline)
}

/** Whether an error only reports that a service did not answer. One with its own message or next step must be shown. */
export function isBareOutage({ code, message, hint }: CairnError): boolean {
  if (code !== 'NETWORK_ERROR' && code !== 'TIMEOUT') return false
  return message === errorTable[code].message && hint === errorTable[code].hint
}
