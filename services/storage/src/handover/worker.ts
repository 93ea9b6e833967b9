import type { Context } from '../context.ts'
import { checkDenials } from '../ipni/ipni.ts'
import { releaseLease } from '../workers/lease.ts'
import { withLease } from '../workers/with-lease.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { createBelowCheck } from './check-below.ts'
import { handOverDue, type Imports, withdrawDue } from './hand-over.ts'
import { createKuboClient, type KuboSettings } from './kubo-client.ts'

const leaseName = 'handover'
const leaseMs = 60_000
const intervalMs = 5000

/** Hands announced content to the operator's Kubo or IPFS Cluster. One replica does so at a time. */
export function createHandoverWorker(context: Context, settings: KuboSettings, clock: WorkerClock): Worker {
  const lease = { name: leaseName, owner: context.processId, durationMs: leaseMs }
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
    context.failures.failed('handover', error, 'failed to hand over content', { worker: 'handover' })
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
  const round = async (signal: AbortSignal): Promise<void> => {
    await withLease(context, lease, signal, work)
  }
  const loop = createLoop('handover', intervalMs, clock, round, report)
  return {
    name: 'handover',
    async run(signal) {
      await loop.run(signal)
      await releaseLease(context.db, lease)
    },
  }
}
