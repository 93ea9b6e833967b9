/** Takes the bytes of one request and makes them durable in segments. */
export type Segments = {
  /** Offset in the upload up to which bytes are durable. */
  readonly offset: number
  readonly isBusy: boolean
  readonly hasFailed: boolean
  take(piece: Uint8Array): Promise<void> | undefined
  /** Makes the received bytes durable. */
  flush(): Promise<void>
  /** Removes bytes that are not durable yet. */
  abort(): Promise<void>
}

/** Runs the steps of {@link Segments} and remembers whether one is running, and whether one has failed. */
export type StepGuard = {
  readonly isBusy: boolean
  readonly hasFailed: boolean
  run(step: () => Promise<void>): Promise<void>
}

/** Creates a guard for one request. */
export function createStepGuard(): StepGuard {
  let isBusy = false
  let hasFailed = false
  return {
    get isBusy() {
      return isBusy
    },
    get hasFailed() {
      return hasFailed
    },
    async run(step) {
      isBusy = true
      try {
        await step()
      } catch (error) {
        hasFailed = true
        throw error
      } finally {
        isBusy = false
      }
    },
  }
}
