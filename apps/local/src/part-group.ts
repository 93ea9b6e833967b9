/** Services that stop concurrently, so that one that hangs delays no other. */
export type PartGroup = AsyncDisposable & {
  /** Adds a service and returns it. */
  use<T extends AsyncDisposable>(part: T): T
}

/** Creates an empty group. Disposing it waits for all services, and then throws the first error. */
export function createPartGroup(): PartGroup {
  const parts: AsyncDisposable[] = []
  return {
    use(part) {
      parts.push(part)
      return part
    },
    async [Symbol.asyncDispose]() {
      const ends = await Promise.allSettled(parts.splice(0).map((part) => part[Symbol.asyncDispose]()))
      const failed = ends.find((end) => end.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    },
  }
}
