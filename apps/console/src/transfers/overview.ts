import type { Transfer, TransferStage } from './transfer-store.ts'

/** What runs comes first, then what needs its user, then what is queued, then what is over. */
const ranks: Record<TransferStage, number> = {
  offline: 0,
  checking: 0,
  encrypting: 0,
  keys: 0,
  sending: 0,
  storing: 0,
  working: 0,
  failed: 1,
  paused: 1,
  waiting: 2,
  done: 3,
  canceled: 3,
}
const overRank = ranks.done

/** Transfers as the panel lists them: in the order of their start, those that are over newest first. */
export function orderTransfers<T extends Pick<Transfer, 'id' | 'stage'>>(transfers: readonly T[]): T[] {
  return transfers.toSorted((a, b) => {
    const rank = ranks[a.stage]
    if (rank !== ranks[b.stage]) return rank - ranks[b.stage]
    return rank === overRank ? b.id - a.id : a.id - b.id
  })
}

/** How many transfers are in each state. */
export function countTransfers(transfers: readonly Pick<Transfer, 'stage'>[]) {
  const count = (isCounted: (stage: TransferStage) => boolean) =>
    transfers.filter(({ stage }) => isCounted(stage)).length
  return {
    running: count((stage) => ranks[stage] === ranks.sending),
    queued: count((stage) => stage === 'waiting'),
    failed: count((stage) => stage === 'failed'),
    done: count((stage) => stage === 'done'),
    canceled: count((stage) => stage === 'canceled'),
  }
}
