import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import { createWakefulLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { runPin } from './run-pin.ts'
import { findDuePins, takePin } from './store.ts'

/** Delays between rounds, in ms: while this process changes rows, and otherwise. */
const intervalMs = 500
const idleMs = 5000
/** Maximum number of concurrent pins per process, and per account in it. */
const maxRunning = 8
const maxRunningPerAccount = 2

/** Returns the worker that stores the content of pins. Replicas may run it concurrently: each pin has one owner. */
export function createPinsWorker(context: Context, clock: WorkerClock): Worker {
  /** Accounts of the pins in progress, by pin. */
  const running = new Map<string, { address: string; done: Promise<void> }>()
  const start = async (id: string, address: string, signal: AbortSignal): Promise<void> => {
    const pin = await takePin(context, id, randomUUID())
    if (pin === undefined) return
    const done = runPin(context, pin, signal).finally(() => {
      running.delete(id)
      loop.wake()
    })
    running.set(id, { address, done })
  }
  const busyAddresses = (): string[] => {
    const counts = new Map<string, number>()
    for (const { address } of running.values()) counts.set(address, (counts.get(address) ?? 0) + 1)
    return [...counts].flatMap(([address, count]) => (count >= maxRunningPerAccount ? [address] : []))
  }
  const round = async (signal: AbortSignal): Promise<void> => {
    while (running.size < maxRunning && !signal.aborted) {
      const [due] = await findDuePins(context, busyAddresses(), 1)
      if (due === undefined) return
      await start(due.id, due.address, signal)
    }
  }
  const loop = createWakefulLoop('pins', { db: context.db, intervalMs, idleMs }, clock, round, (error) =>
    context.failures.failed('pins', error, 'worker failed', { worker: 'pins' }),
  )
  return {
    name: 'pins',
    async run(signal) {
      await loop.run(signal)
      await Promise.all([...running.values()].map(({ done }) => done))
    },
  }
}
