/** What the contracts say about the proofs of a data set, read at one epoch. */
export type ProvingState = {
  /** The epoch it was read at. */
  readonly at: bigint
  /** Whether the challenges of the running period may fall on the piece. */
  readonly isChallengeable: boolean
  /** Last epoch of the running period; 0 while none runs. */
  readonly deadline: bigint
  /** Whether the running period has its proof. */
  readonly isProven: boolean
  /** When proofs of the data set began. */
  readonly activatedAt: bigint
  /** Epochs of a period. */
  readonly periodEpochs: bigint
  /** Epoch of the newest proof, or of the data set's creation. */
  readonly provenAt: bigint
}

/**
 * Says which window was missed; undefined where none was. A provider proves once in each period, in a window at its end;
 * it may begin the next period only after the end of the one before. So a period is missed when its end has passed without
 * a proof, which is also what the contract pays by (`FaultRecord`).
 * @see https://github.com/FilOzone/filecoin-services
 */
export function findMissedWindow(state: ProvingState, keptSince: bigint): string | undefined {
  const { at, activatedAt, deadline, isProven, periodEpochs, provenAt } = state
  if (deadline === 0n) {
    // Two periods are enough to begin the first one, however the provider orders its work.
    const limit = keptSince + 2n * periodEpochs
    return at > limit ? `The provider began no period of proofs by epoch ${limit}` : undefined
  }
  const before = deadline - periodEpochs
  const beforeThat = before - periodEpochs
  // What was kept only after a period began may be in the challenges of the next one for the first time.
  const wasThereBefore = keptSince <= beforeThat && activatedAt <= beforeThat
  if (wasThereBefore && provenAt <= beforeThat) return missed(before)
  if (!isProven && state.isChallengeable && at > deadline) return missed(deadline)
  // It had to begin the next period, with the piece in it, and to prove that.
  if (at > deadline + periodEpochs) return missed(deadline + periodEpochs)
  return undefined
}

function missed(deadline: bigint): string {
  return `There was no proof in the window that ended at epoch ${deadline}`
}
