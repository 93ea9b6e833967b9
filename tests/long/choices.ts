import { createRandom } from '../faults/random-uploads.ts'

/** Seeded, repeatable random choices. */
export type Choices = {
  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number
  /** Returns true in this fraction of all cases. */
  chance(part: number): boolean
  /** @throws RangeError if there is nothing to choose */
  pick<T>(choices: readonly T[]): T
}

/** Creates random choices. */
export function createChoices(seed: number): Choices {
  const next = createRandom(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (part) => next() < part,
    pick: (choices) => {
      const chosen = choices[below(choices.length)]
      if (chosen === undefined) throw new RangeError('Nothing to choose')
      return chosen
    },
  }
}
