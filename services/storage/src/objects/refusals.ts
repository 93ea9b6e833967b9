import { CairnError } from '@cairn/protocol'

/** Refused removals after which a round ends: then it is not single objects that cannot be removed. */
const maxRefused = 100

/** Removals that the store refused. */
export type Refusals = {
  /**
   * Removes something. Returns false if the store refuses to.
   * @throws any other failure, such as an outage, which the next removal would meet as well
   */
  attempt(remove: () => Promise<void>): Promise<boolean>
  /** @throws the first refusal, once the other removals are done */
  end(): void
}

/** Lets a round go on after an object that can never be removed, such as an immutable file. */
export function collectRefusals(): Refusals {
  let count = 0
  let first: CairnError | undefined
  return {
    async attempt(remove) {
      try {
        await remove()
        return true
      } catch (error) {
        if (!CairnError.is(error, 'STORAGE_FAILED')) throw error
        first ??= error
        count++
        if (count >= maxRefused) throw error
        return false
      }
    },
    end() {
      if (first !== undefined) throw first
    },
  }
}
