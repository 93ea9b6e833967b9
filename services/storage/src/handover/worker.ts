import type { Context } from '../context.ts'
import { checkDenials } from '../ipni/ipni.ts'
import { createLeasedWorker } from '../workers/leased-worker.ts'
import type { Worker, WorkerClock } from '../workers/worker.ts'
import { createBelowCheck } from './check-below.ts'
import { handOverDue, type Imports, withdrawDue } from './hand-over.ts'
import { createKuboClient, type KuboSettings } from './kubo-client.ts'

const name = 'handover'
const leaseMs = 60_000
const intervalMs = 5000

/** Hands announced content to the operator's Kubo or IPFS Cluster. One replica does so at a time. */
export function createHandoverWorker(context: Context, settings: KuboSettings, clock: WorkerClock): Worker {
  const kubo = createKuboClient(settings)
  const below = createBelowCheck(context)
  /** Changes of the denylist that were applied to roots. */
  let checked: number | undefined
  const imports: Imports = new Map()
  const withdraw = async (held: AbortSignal): Promise<void> => {
    const { changes } = context.denylist
    if (checked !== changes) await checkDenials(context, 'handed_root', held)
    if (held.aborted) return
    checked = changes
    await withdrawDue(context, kubo, held, imports)
    await below.run(held)
  }
  const report = (error: unknown): void =>
    context.failures.failed(name, error, 'failed to hand over content', { worker: name })
  const work = async (held: AbortSignal): Promise<void> => {
    await withdraw(held)
    const ended = new AbortController()
    const handing = handOverDue(context, kubo, held, imports).finally(() => ended.abort())
    // Awaited below; a failure until then is not an unhandled rejection.
    handing.catch(() => undefined)
    const waiting = AbortSignal.any([held, ended.signal])
    for (await clock.sleep(intervalMs, waiting); !waiting.aborted; await clock.sleep(intervalMs, waiting)) {
      await withdraw(held).catch(report)
    }
    await handing
  }
  return createLeasedWorker(context, { name, intervalMs, leaseMs }, clock, (hold) => hold(work), report)
}
