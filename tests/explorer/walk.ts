import fc from 'fast-check'
import { findBreach } from './breaches.ts'
import { findBadEnd } from './ends.ts'
import { findMoves } from './moves.ts'
import type { Start } from './rights.ts'
import type { Breach } from './search.ts'
import { isOver, type Rules, type World } from './world.ts'

/** More steps than any path has, because operations, crashes and faults are few. */
const maxSteps = 2_000

/**
 * Follows one path through a scenario, selected by a seed, to its end.
 * @returns the violation, if it reaches one
 */
export async function walkOnce(rules: Rules, first: World, start: Start, seed: number): Promise<Breach | undefined> {
  const picks = fc.sample(fc.noBias(fc.nat()), { seed, numRuns: maxSteps })
  const trace: string[] = []
  let world = first
  for (const pick of picks) {
    const what =
      (await findBreach(rules, world, start)) ??
      (isOver(world) ? await findBadEnd(rules, world, start, new Set()) : undefined)
    if (what !== undefined) return { what, trace }
    const moves = await findMoves(rules, world)
    const move = moves[pick % moves.length]
    if (move === undefined) return undefined
    trace.push(move.label)
    world = move.next
  }
  throw new Error(`after ${maxSteps} steps there is no end`)
}
