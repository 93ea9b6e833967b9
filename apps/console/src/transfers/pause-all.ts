import { continueTransfer, pauseTransfer, type Transfer } from './transfer-store.ts'

/** Pauses all that can be paused. */
export function pauseAll(transfers: readonly Transfer[]): void {
  // Queued ones first, so that none of them starts.
  for (const { id } of transfers.toSorted((one, other) => rank(one) - rank(other))) pauseTransfer(id)
}

function rank({ stage }: Transfer): number {
  return stage === 'waiting' ? 0 : 1
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
