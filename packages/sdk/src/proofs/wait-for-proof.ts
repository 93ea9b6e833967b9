import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, pause } from '../request.ts'
import { getAllProofs, type StorageProofs } from './proofs.ts'

const firstPauseMs = 200
const longestPauseMs = 5_000

/** How long to wait, and for what. */
export type WaitOptions = CallOptions & {
  /** Providers that have to prove every piece; 1 unless told. */
  providers?: number
  /** Limit of the whole wait in ms; none unless told: operators may let an hour go by before they make deals. */
  waitMs?: number
  /** Told of each look; undefined while the content lies in no piece yet. */
  onUpdate?: (proofs: StorageProofs | undefined) => void
}

/**
 * Waits until every piece of some content was proven by a provider, as the service states it; {@link verifyStorage} then
 * checks it.
 * @throws CairnError TIMEOUT after `waitMs`, ABORTED, INVALID_CID, BLOCK_NOT_FOUND
 */
export async function waitForProof(client: Client, cid: string, options: WaitOptions = {}): Promise<StorageProofs> {
  const { providers = 1, waitMs, onUpdate, signal } = options
  const end = waitMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + waitMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const proofs = await getAllProofs(client, cid, options).catch((error: unknown) => {
      if (CairnError.is(error, 'PROOF_NOT_FOUND')) return undefined
      throw error
    })
    onUpdate?.(proofs)
    if (proofs !== undefined && isProven(proofs, providers)) return proofs
    if (performance.now() + pauseMs > end) {
      throw new CairnError('TIMEOUT', {
        message: 'No provider proved it within that time',
        hint: 'Ask again later: `cairn deals` shows how far it is.',
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
