import {
  cancelTransfer,
  continueTransfer,
  isActive,
  pauseTransfer,
  removeTransfer,
  type Transfer,
} from './transfer-store.ts'

/** Pauses all that can be paused. */
export function pauseAll(transfers: readonly Transfer[]): void {
  for (const { id } of queuedFirst(transfers)) pauseTransfer(id)
}

/** Queued ones first, so that none of them starts when another one stops. */
function queuedFirst(transfers: readonly Transfer[]): Transfer[] {
  const rank = ({ stage }: Transfer) => (stage === 'waiting' ? 0 : 1)
  return transfers.toSorted((one, other) => rank(one) - rank(other))
}

/** Returns whether it is unfinished and can be cancelled with others; a cancelled change of keys would be half done. */
export function isCancellable(transfer: Transfer): boolean {
  return transfer.kind !== 'change' && (isActive(transfer) || transfer.stage === 'paused')
}

/** Cancels all that can be cancelled together, and removes their data. */
export function cancelAll(transfers: readonly Transfer[]): void {
  for (const one of queuedFirst(transfers.filter(isCancellable))) {
    if (isActive(one)) cancelTransfer(one.id)
    else removeTransfer(one.id)
  }
}

/** Returns whether the user paused it, so that it resumes with one click. */
export function isPausedByUser({ stage, need }: Transfer): boolean {
  return stage === 'paused' && need === 'resume'
}

/** Resumes all that the user paused. */
export function continueAll(transfers: readonly Transfer[]): void {
  for (const one of transfers) if (isPausedByUser(one)) void continueTransfer(one.id)
}

/** Returns whether an earlier change of keys waits for its repair. */
export function isUnrepaired({ stage, need }: Transfer): boolean {
  return stage === 'paused' && need === 'repair'
}

/** Starts all repairs that wait, one after the other: the first may ask for a signature, and if it is declined, none starts. */
export async function repairAll(transfers: readonly Transfer[]): Promise<void> {
  for (const one of transfers) if (isUnrepaired(one) && !(await continueTransfer(one.id))) return
}
