import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, pause } from '../request.ts'
import { getAllProofs, type StorageProofs } from './proofs.ts'

const firstPauseMs = 200
const maxPauseMs = 5_000
/** Requests in a row that may fail, which is about a minute: an upgrade of the service does not end a wait of hours. */
const maxFailures = 15

/** Conditions and limit of the wait. */
export type WaitOptions = CallOptions & {
  /** Number of providers that must prove every piece. Defaults to 1. */
  providers?: number
  /** Limit of the whole wait in ms. No limit by default, because operators may wait an hour before they make deals. */
  waitMs?: number
  /** Called after each request; undefined until the content is part of a piece. */
  onUpdate?: (proofs: StorageProofs | undefined) => void
}

/**
 * Waits until a provider has proven every piece of some content, as the service claims; {@link verifyStorage} then
 * verifies it. Continues while the service is unavailable for a moment.
 * @throws CairnError TIMEOUT after `waitMs`, ABORTED, INVALID_CID, BLOCK_NOT_FOUND
 */
export async function waitForProof(client: Client, cid: string, options: WaitOptions = {}): Promise<StorageProofs> {
  const { providers = 1, waitMs, onUpdate, signal } = options
  const end = waitMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + waitMs
  let failures = 0
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    let failure: CairnError | undefined
    const proofs = await getAllProofs(client, cid, options).catch((error: unknown) => {
      if (CairnError.is(error, 'PROOF_NOT_FOUND')) return undefined
      failure = CairnError.from(error)
      if (!failure.retry || ++failures > maxFailures) throw error
    })
    if (failure === undefined) {
      failures = 0
      onUpdate?.(proofs)
    }
    if (proofs !== undefined && isProven(proofs, providers)) return proofs
    if (performance.now() + pauseMs > end) {
      throw new CairnError('TIMEOUT', {
        message: 'No provider proved storage in time',
        hint: 'Try again later. `cairn deals` shows the progress.',
      })
    }
    await pause(pauseMs, signal)
  }
}

function isProven({ pieces, waitingPacks }: StorageProofs, providers: number): boolean {
  return (
    waitingPacks === 0 &&
    pieces.every(
      ({ aggregate }) =>
        aggregate !== null && aggregate.deals.filter(({ state }) => state === 'proving').length >= providers,
    )
  )
}
