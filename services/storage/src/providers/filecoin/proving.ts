import { proofReason, type Reason } from '@cairn/protocol'

/** Proving state of a data set in the contracts, read at one epoch. */
export type ProvingState = {
  /** The epoch of the read. */
  readonly at: bigint
  /** Whether challenges of the running period can select the piece. */
  readonly isChallengeable: boolean
  /** Last epoch of the running period; 0 when none is running. */
  readonly deadline: bigint
  /** Whether the running period has its proof. */
  readonly isProven: boolean
  /** Epoch at which proving of the data set began. */
  readonly activatedAt: bigint
  /** Length of a period in epochs. */
  readonly periodEpochs: bigint
  /** Epoch of the newest proof, or of the data set's creation. */
  readonly provenAt: bigint
}

/**
 * Returns the proving window that was missed; undefined when none was. A provider proves once per period, in a window
 * at its end, and may begin the next period only after the previous one ended. A period is therefore missed when it
 * ended without a proof, which also determines what the contract pays (`FaultRecord`).
 * @see https://github.com/FilOzone/filecoin-services
 */
export function findMissedWindow(state: ProvingState, keptSince: bigint): Reason | undefined {
  const { at, activatedAt, deadline, isProven, periodEpochs, provenAt } = state
  if (deadline === 0n) {
    // Two periods suffice to begin the first one, however the provider orders its work.
    const limit = keptSince + 2n * periodEpochs
    return at > limit ? proofReason('PERIOD_NOT_STARTED', { epoch: String(limit) }) : undefined
  }
  const before = deadline - periodEpochs
  const beforeThat = before - periodEpochs
  // A piece added during a period can be challenged in the next one at the earliest.
  const wasThereBefore = keptSince <= beforeThat && activatedAt <= beforeThat
  if (wasThereBefore && provenAt <= beforeThat) return missed(before)
  if (!isProven && state.isChallengeable && at > deadline) return missed(deadline)
  // The provider had to begin the next period, with the piece in it, and prove it.
  if (at > deadline + periodEpochs) return missed(deadline + periodEpochs)
  return undefined
}

function missed(deadline: bigint): Reason {
  return proofReason('WINDOW_MISSED', { epoch: String(deadline) })
}
