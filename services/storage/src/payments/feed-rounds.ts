import type { FeedReader, FeedRound } from './feed.ts'

/**
 * Rounds of one phase are numbered without gaps from 1, with the phase in the bits above the 64th. A feed begins a phase
 * when the contract behind it is replaced, and still returns the rounds of earlier ones.
 */
const phaseBits = 64n
/** Maximum number of earlier phases that are searched. */
const maxPhases = 32n

const phaseOf = ({ roundId }: FeedRound): bigint => roundId >> phaseBits
const firstIdOf = (phase: bigint): bigint => (phase << phaseBits) + 1n

/** Finds the last round that is not later than a time, by binary search: rounds are in order of time. */
export async function findLastBefore(
  reader: FeedReader,
  latest: FeedRound,
  timeMs: number,
): Promise<FeedRound | undefined> {
  if (latest.updatedAtMs <= timeMs) return latest
  const newest = phaseOf(latest)
  const first = await reader.getRound(firstIdOf(newest))
  if (first === undefined) return undefined
  if (first.updatedAtMs > timeMs) return findLastInEarlier(reader, newest, timeMs)
  let low = first
  let high = latest
  while (high.roundId - low.roundId > 1n) {
    const middle = await reader.getRound((low.roundId + high.roundId) / 2n)
    if (middle === undefined) return undefined
    if (middle.updatedAtMs <= timeMs) low = middle
    else high = middle
  }
  return low
}

/** The same in the phases before one. Where they end is not known. */
async function findLastInEarlier(reader: FeedReader, phase: bigint, timeMs: number): Promise<FeedRound | undefined> {
  for (let earlier = phase - 1n; earlier >= 0n && phase - earlier <= maxPhases; earlier--) {
    let low = await reader.getRound(firstIdOf(earlier))
    if (low === undefined || low.updatedAtMs > timeMs) continue
    // Twice as far each time, then halves of that.
    let isClose = false
    for (let step = 1n; step > 0n; step = isClose ? step / 2n : step * 2n) {
      const id: bigint = low.roundId + step
      const next = id < firstIdOf(earlier + 1n) - 1n ? await reader.getRound(id) : undefined
      if (next !== undefined && next.updatedAtMs <= timeMs) low = next
      else isClose = true
    }
    return low
  }
  return undefined
}

/** Returns the round before one; before the first of a phase, the one that applied until then. */
export function findPrevious(reader: FeedReader, round: FeedRound): Promise<FeedRound | undefined> {
  const phase = phaseOf(round)
  if (round.roundId !== firstIdOf(phase)) return reader.getRound(round.roundId - 1n)
  return findLastInEarlier(reader, phase, round.updatedAtMs)
}

/** Returns the round after one; after the last of a phase, the first of the next one. */
export async function findNext(
  reader: FeedReader,
  round: FeedRound,
  latest: FeedRound,
): Promise<FeedRound | undefined> {
  if (round.roundId === latest.roundId) return undefined
  const next = await reader.getRound(round.roundId + 1n)
  if (next !== undefined) return next
  const phase = phaseOf(round)
  for (let later = phase + 1n; later <= phaseOf(latest) && later - phase <= maxPhases; later++) {
    const first = await reader.getRound(firstIdOf(later))
    if (first !== undefined) return first
  }
  return undefined
}
