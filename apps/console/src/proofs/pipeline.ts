import type { StorageProofs } from '@cairn/sdk'

export const stageNames = ['received', 'packed', 'piece', 'deal', 'proven'] as const
export type StageName = (typeof stageNames)[number]
/** `fault`: every provider that was to keep it failed or missed proofs. */
export type StageState = 'done' | 'now' | 'waiting' | 'fault'
export type Stage = { name: StageName; state: StageState }

/**
 * How far content is on its way to being proven, as the service states it. What is known of a CID is at least packed: an
 * upload is an archive from its first byte on.
 * @param proofs undefined while the content lies in no piece yet
 */
export function readPipeline(proofs: StorageProofs | undefined): Stage[] {
  const reached = reachedBy(proofs)
  const isFaulty = proofs?.pieces.some(({ aggregate }) => isLost(aggregate?.deals ?? [])) ?? false
  return stageNames.map((name, index) => ({
    name,
    state: index < reached ? 'done' : index > reached ? 'waiting' : isFaulty ? 'fault' : 'now',
  }))
}

/** How many stages are done. */
function reachedBy(proofs: StorageProofs | undefined): number {
  if (proofs === undefined || proofs.waitingPacks > 0 || proofs.pieces.length === 0) return 2
  const deals = proofs.pieces.map(({ aggregate }) => aggregate?.deals ?? [])
  if (deals.every((of) => of.some(({ state }) => state === 'proving'))) return stageNames.length
  return deals.every((of) => of.some(({ state }) => state === 'kept' || state === 'proving')) ? 4 : 3
}

function isLost(deals: readonly { state: string }[]): boolean {
  return deals.length > 0 && deals.every(({ state }) => state === 'faulted' || state === 'failed' || state === 'ended')
}
