/** Services that stop concurrently, so that one that hangs delays no other. */
export type PartGroup = AsyncDisposable & {
  /** Adds a service and returns it. */
  use<T extends AsyncDisposable>(part: T): T
  /** Adds a service that is starting, and returns it. If others fail first, it stops once it has started. */
  start<T extends AsyncDisposable>(starting: Promise<T>): Promise<T>
}

/** Creates an empty group. Disposing it waits for all services, and then throws the first error. */
export function createPartGroup(): PartGroup {
  const parts: AsyncDisposable[] = []
  return {
    use(part) {
      parts.push(part)
      return part
    },
    start(starting) {
      const settled = starting.catch(() => undefined)
      parts.push({ [Symbol.asyncDispose]: async () => (await settled)?.[Symbol.asyncDispose]() })
      return starting
    },
    async [Symbol.asyncDispose]() {
      const ends = await Promise.allSettled(parts.splice(0).map((part) => part[Symbol.asyncDispose]()))
      const failed = ends.find((end) => end.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    },
  }
}
