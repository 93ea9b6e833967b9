import { CairnError } from '@cairn/sdk'
import { readWalletFailure } from '../wallet/wallet-failure.ts'

/** Returns whether the user cancelled: there is no error to show. */
export function isAborted(error: unknown): boolean {
  return CairnError.is(error, 'ABORTED') || readWalletFailure(error) === 'rejected'
}
