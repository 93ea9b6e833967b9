import type { Client } from '@cairn/sdk'
import { useNetwork } from '../network/use-network.ts'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'
import { useIsOpen } from '../ui/use-is-open.ts'
import { getSession } from './session-store.ts'
import { clientOf } from './use-client.ts'

/**
 * Returns a function for a credential that a dialog creates and shows once. If the dialog was closed meanwhile, the credential
 * was never shown but would stay valid, so it is revoked.
 * @param texts that it was revoked and why; that it is still valid
 */
export function useRevokeUnseen<Made>(
  revoke: (client: Client, made: Made) => Promise<unknown>,
  texts: { revoked: string; reason: string; stillValid: string },
): (made: Made) => Promise<void> {
  const network = useNetwork()
  const isOpen = useIsOpen()
  return async (made) => {
    if (isOpen.current) return
    try {
      await revoke(clientOf(network, getSession()), made)
      toastDone(texts.revoked, texts.reason)
    } catch (error) {
      toastError(texts.stillValid, error)
    }
  }
}
