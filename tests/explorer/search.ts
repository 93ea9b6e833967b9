import { findBreach } from './breaches.ts'
import { findBadEnd } from './ends.ts'
import { findMoves } from './moves.ts'
import type { Start } from './rights.ts'
import { isOver, nameWorld, type Rules, type World } from './world.ts'

/** A path from the start to a violation. */
export type Breach = { what: string; trace: readonly string[] }

export type Searched = {
  worlds: number
  ends: number
  breach: Breach | undefined
  /** Whether every world was visited. */
  isWhole: boolean
}

type Step = { world: World | undefined; from: number; label: string }

/** Visits every reachable world, nearest first, so that a violation is found on the shortest path. */
export async function searchAll(rules: Rules, first: World, start: Start, maxWorlds: number): Promise<Searched> {
  const steps: Step[] = [{ world: first, from: -1, label: '' }]
  const seen = new Set([nameWorld(first)])
  const goodEnds = new Set<string>()
  let ends = 0
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at]
    if (step?.world === undefined) continue
    const { world } = step
    // Visited worlds are known only by their name and path.
    steps[at] = { ...step, world: undefined }
    let what = await findBreach(rules, world, start)
    if (what === undefined && isOver(world)) {
      ends++
      what = await findBadEnd(rules, world, start, goodEnds)
    }
    if (what !== undefined) return { worlds: at + 1, ends, breach: { what, trace: traceTo(steps, at) }, isWhole: false }
    for (const { label, next } of await findMoves(rules, world)) {
      const name = nameWorld(next)
      if (seen.has(name)) continue
      if (steps.length >= maxWorlds) return { worlds: steps.length, ends, breach: undefined, isWhole: false }
      seen.add(name)
      steps.push({ world: next, from: at, label })
    }
  }
  return { worlds: steps.length, ends, breach: undefined, isWhole: true }
}

function traceTo(steps: readonly Step[], at: number): string[] {
  const labels: string[] = []
  for (let i = at; i > 0; i = steps[i]?.from ?? 0) labels.unshift(steps[i]?.label ?? '')
  return labels
}
