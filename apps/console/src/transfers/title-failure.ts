import { messages } from '../messages/messages.ts'
import type { Transfer } from './transfer.ts'

/** Returns what is known about a failed transfer, as a title. */
export function titleFailure({ kind, name, isUnclear }: Pick<Transfer, 'kind' | 'name' | 'isUnclear'>): string {
  return isUnclear && kind === 'upload' ? messages.transfers.unclear(name) : messages.transfers.failedToast[kind](name)
}
