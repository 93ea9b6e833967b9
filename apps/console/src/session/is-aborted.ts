import { CairnError } from '@cairn/sdk'
import { readWalletFault } from '../wallet/wallet-fault.ts'

/** Whether something failed because its user did not want it: no error to show. */
export function isAborted(error: unknown): boolean {
  return CairnError.is(error, 'ABORTED') || readWalletFault(error) === 'rejected'
}
