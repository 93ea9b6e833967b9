import type { StorageProofs } from '@cairn/sdk'

const stageNames = ['received', 'packed', 'piece', 'deal', 'proven'] as const
export type StageName = (typeof stageNames)[number]
/** `fault`: every assigned provider failed or missed proofs. */
export type StageState = 'done' | 'now' | 'waiting' | 'fault'
export type Stage = { name: StageName; state: StageState }

/**
 * Returns the progress of content towards a proof, as the service reports it. A known CID is at least packed: an upload
 * is an archive from its first byte on.
 * @param proofs undefined until the content is part of a piece
 */
export function readPipeline(proofs: StorageProofs | undefined): Stage[] {
  const reached = reachedBy(proofs)
  const isFaulty = proofs?.pieces.some(({ aggregate }) => isLost(aggregate?.deals ?? [])) ?? false
  return stageNames.map((name, index) => ({
    name,
    state: index < reached ? 'done' : index > reached ? 'waiting' : isFaulty ? 'fault' : 'now',
  }))
}

/** Returns the number of completed stages. */
function reachedBy(proofs: StorageProofs | undefined): number {
  if (proofs === undefined || proofs.waitingPacks > 0 || proofs.pieces.length === 0) return 2
  const deals = proofs.pieces.map(({ aggregate }) => aggregate?.deals ?? [])
  if (deals.every((of) => of.some(({ state }) => state === 'proving'))) return stageNames.length
  return deals.every((of) => of.some(({ state }) => state === 'kept' || state === 'proving')) ? 4 : 3
}

function isLost(deals: readonly { state: string }[]): boolean {
  return deals.length > 0 && deals.every(({ state }) => state === 'faulted' || state === 'failed' || state === 'ended')
}
