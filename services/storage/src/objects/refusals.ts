import { CairnError } from '@cairn/protocol'

/** Number of refused removals that ends a round, because the cause is then not a single object. */
const maxRefused = 100

/** Removals that the store refused. */
export type Refusals = {
  /**
   * Removes an object.
   * @returns false if the store refuses
   * @throws any other failure, such as an outage, which would affect the next removal, too
   */
  attempt(remove: () => Promise<void>): Promise<boolean>
  /** @throws the first refusal, once the other removals are done */
  end(): void
}

/** Lets a round continue after an object that cannot be removed, such as an immutable file. */
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
