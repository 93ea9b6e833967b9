import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { giveLease, takeLease } from '../workers/lease.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { createNetworkIndexer } from './index-network.ts'
import type { PaymentNetwork } from './payment-settings.ts'
import { createPrices } from './prices.ts'

/** How long another replica waits after the one that reads a chain went silent. */
const leaseMs = 30_000

/** Follows one network as long as this process holds the lease for it. */
export function createPaymentWorker(context: Context, network: PaymentNetwork, clock: WorkerClock): Worker {
  const name = `payments-${network.chainId}`
  const lease = { name, owner: context.processId, durationMs: leaseMs }
  let fence: number | undefined
  const indexer = createNetworkIndexer({
    context,
    network,
    prices: createPrices(context, context.config.payments.prices),
    async requireLease(trx) {
      // A process that was paused for longer than its lease may wake up in here: the fence refuses what it writes.
      const held = await trx
        .updateTable('lease')
        .set({ owner: context.processId })
        .where('name', '=', name)
        .where('owner', '=', context.processId)
        .where('fence', '=', fence ?? -1)
        .returning('fence')
        .executeTakeFirst()
      if (held === undefined) throw new CairnError('CONFLICT', { message: 'Another replica follows this chain now' })
    },
  })
  const work = async (signal: AbortSignal): Promise<void> => {
    for (let isBehind = true; isBehind && !signal.aborted; ) {
      const taken = await takeLease(context.db, { ...lease, now: context.clock.now() })
      if (taken === undefined) return
      fence = taken.fence
      const round = await indexer.round(signal)
      context.metrics.paymentsCredited.inc(round.credited)
      if (round.credited > 0) context.log.info({ network: network.name, ...round }, 'payments were credited')
      isBehind = round.isBehind
    }
  }
  const loop = createLoop(name, network.pollMs, clock, work, (error) =>
    context.log.error({ err: error, network: network.name }, 'a chain could not be followed'),
  )
  return {
    name,
    async run(signal) {
      await loop.run(signal)
      await giveLease(context.db, lease)
    },
  }
}
