import { isUpcoming } from '@cairn/service'
import type { Context } from '../context.ts'
import { type Driving, isDealDue } from '../deals/deals.ts'
import { createPieceHashing, type PieceMaking } from '../pieces/pieces.ts'
import { createLeasedWorker } from '../workers/leased-worker.ts'
import type { Worker, WorkerClock } from '../workers/worker.ts'
import { type LaneName, pipeline, type StageInput } from './pipeline.ts'

const leaseMs = 60_000
const hourMs = 3_600_000

/** Creates a worker for each lane of the pipeline. */
export function createPipelineWorkers(driving: Driving, clock: WorkerClock): Worker[] {
  const { context, providers } = driving
  const hashing = createPieceHashing()
  const making: PieceMaking = { context, hashing, setAside: new Map() }
  const parts = { context, making, driving }
  const createLane = (lane: LaneName) => {
    const work = createRounds(lane, { ...parts, provider: undefined }, clock)
    return createLaneWorker(context, clock, lane, work)
  }
  return [...new Set(pipeline.map(({ lane }) => lane))].flatMap((lane): Worker[] => {
    if (lane === 'pieces') return [closeAfter(createLane(lane), () => hashing.close())]
    if (lane !== 'provider') return [createLane(lane)]
    return providers.map((provider) => {
      const { name } = provider
      const work = createRounds(lane, { ...parts, provider: name }, clock)
      const isDue = () => isDealDue(driving, name)
      const worker = createLaneWorker(context, clock, `deals/${name}`, work, isDue)
      return closeAfter(worker, async () => provider.close?.())
    })
  })
}

/** Returns the round of a lane. */
function createRounds(
  lane: LaneName,
  input: Omit<StageInput, 'signal'>,
  clock: WorkerClock,
): (held: AbortSignal) => Promise<void> {
  const stages = pipeline.filter((stage) => stage.lane === lane)
  let hourlyAt = 0
  return async (signal) => {
    for (const { pace, run } of stages) if (pace === 'round') await run({ ...input, signal })
    if (isUpcoming(hourlyAt, clock.now(), hourMs)) return
    for (const { pace, run } of stages) if (pace === 'hourly') await run({ ...input, signal })
    hourlyAt = clock.now() + hourMs
  }
}

function closeAfter(worker: Worker, close: () => Promise<void>): Worker {
  return {
    name: worker.name,
    async run(signal) {
      await worker.run(signal)
      await close()
    },
  }
}

/** A loop whose rounds run on one replica at a time; with `isDue`, it acquires the lease only when there is work. */
function createLaneWorker(
  context: Context,
  clock: WorkerClock,
  name: string,
  work: (held: AbortSignal) => Promise<void>,
  isDue: () => Promise<boolean> = async () => true,
): Worker {
  return createLeasedWorker(
    context,
    { name, intervalMs: context.config.deals.pollMs, leaseMs },
    clock,
    async (hold) => (await isDue()) && hold(work),
    (error) => context.failures.failed(name, error, 'failed to process pieces and deals', { worker: name }),
  )
}
