import { CairnError } from '@cairn/sdk'
import { readWalletFault } from '../wallet/wallet-fault.ts'

/** Returns whether the user cancelled: there is no error to show. */
export function isAborted(error: unknown): boolean {
  return CairnError.is(error, 'ABORTED') || readWalletFault(error) === 'rejected'
}
