import { type CairnError, errorTable } from '@cairn/protocol'
import { createStore, useStore } from '../state/store.ts'

/** Whether the storage service does not answer, for the whole console. */
const isOffline = createStore(false)

export function setServiceOffline(next: boolean): void {
  if (next !== isOffline.get()) isOffline.set(next)
}

export function isServiceOffline(): boolean {
  return isOffline.get()
}

/** Whether the storage service is known not to answer, followed. */
export function useServiceOffline(): boolean {
  return useStore(isOffline)
}

/** Whether an error only reports that a service did not answer. One with its own message or next step must be shown. */
export function isBareOutage({ code, message, hint }: CairnError): boolean {
  if (code !== 'NETWORK_ERROR' && code !== 'TIMEOUT') return false
  return message === errorTable[code].message && hint === errorTable[code].hint
}
