import type { Transfer, TransferStage } from './transfer-store.ts'

/** Order: running, needs the user, queued, finished. */
const ranks: Record<TransferStage, number> = {
  offline: 0,
  checking: 0,
  encrypting: 0,
  keys: 0,
  sending: 0,
  storing: 0,
  saving: 0,
  working: 0,
  failed: 1,
  paused: 1,
  waiting: 2,
  done: 3,
  cancelled: 3,
}
const overRank = ranks.done

/** Orders transfers for the panel: by start, finished ones newest first. */
export function orderTransfers<T extends Pick<Transfer, 'id' | 'stage'>>(transfers: readonly T[]): T[] {
  return transfers.toSorted((a, b) => {
    const rank = ranks[a.stage]
    if (rank !== ranks[b.stage]) return rank - ranks[b.stage]
    return rank === overRank ? b.id - a.id : a.id - b.id
  })
}

/** Counts the transfers in each state. */
export function countTransfers(transfers: readonly Pick<Transfer, 'stage'>[]) {
  const count = (isCounted: (stage: TransferStage) => boolean) =>
    transfers.filter(({ stage }) => isCounted(stage)).length
  return {
    running: count((stage) => ranks[stage] === ranks.sending),
    queued: count((stage) => stage === 'waiting'),
    paused: count((stage) => stage === 'paused'),
    failed: count((stage) => stage === 'failed'),
    done: count((stage) => stage === 'done'),
    cancelled: count((stage) => stage === 'cancelled'),
  }
}
