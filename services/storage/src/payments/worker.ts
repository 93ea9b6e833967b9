import { CairnError } from '@cairn/protocol'
import type { Dependency } from '@cairn/service'
import type { Context } from '../context.ts'
import type { PaymentNetwork } from '../settings/payment-settings.ts'
import { createLeasedWorker, type HoldLease } from '../workers/leased-worker.ts'
import type { Worker, WorkerClock } from '../workers/worker.ts'
import { createNetworkIndexer, type IndexParts } from './index-network.ts'
import { createPrices } from './prices.ts'
import { findCursor } from './store.ts'

/** How long another replica waits after the one that reads a chain went silent. A round of any length renews it. */
const leaseMs = 30_000

/** The context of a follower, and the owner of its lease. */
type WorkerContext = IndexParts['context'] & Pick<Context, 'processId'>

/** Follows one network while this process holds its lease. */
export function createPaymentWorker(context: WorkerContext, network: PaymentNetwork, clock: WorkerClock): Worker {
  const name = `payments-${network.chainId}`
  const chain = context.dependencies.add({ kind: 'chain', name: network.name })
  // From the start, so that the first disagreement is an increase.
  context.metrics.chainDisagreements.inc({ network: network.name }, 0)
  let fence: number | undefined
  const indexer = createNetworkIndexer({
    context,
    network,
    prices: createPrices(context, context.config.payments.prices),
    async requireLease(trx) {
      // A process that was suspended beyond its lease may resume here: the fence rejects its writes.
      const held = await trx
        .updateTable('lease')
        .set({ owner: context.processId })
        .where('name', '=', name)
        .where('owner', '=', context.processId)
        .where('fence', '=', fence ?? -1)
        .returning('fence')
        .executeTakeFirst()
      if (held === undefined) throw new CairnError('CONFLICT', { message: 'Another replica now follows this chain' })
    },
  })
  const readRound = async (held: AbortSignal) => {
    try {
      return await indexer.round(held)
    } catch (error) {
      // A lost lease is the reason then, and not the endpoints, whose requests were aborted.
      held.throwIfAborted()
      throw error
    }
  }
  const work = async (hold: HoldLease, signal: AbortSignal): Promise<void> => {
    for (let isBehind = true; isBehind && !signal.aborted; ) {
      const isHeld = await hold(async (held, acquired) => {
        fence = acquired.fence
        const round = await readRound(held)
        chain.succeeded()
        context.metrics.paymentsCredited.inc(round.credited)
        if (round.credited > 0) context.log.info({ network: network.name, ...round }, 'credited payments')
        isBehind = round.isBehind
      })
      if (!isHeld) return noteOtherReplica(context, network, chain)
    }
  }
  return createLeasedWorker(context, { name, intervalMs: network.pollMs, leaseMs }, clock, work, (error) => {
    // The next round determines who follows the chain.
    if (!CairnError.is(error, 'CONFLICT')) chain.failed(error)
  })
}

/** How long another replica may be silent before the chain counts as not followed. */
const silentMs = 5 * 60_000

/** While another replica follows a chain, the status it recorded is reported here. */
async function noteOtherReplica(context: WorkerContext, network: PaymentNetwork, chain: Dependency): Promise<void> {
  const { metrics, clock, db } = context
  for (const index of network.rpcUrls.keys()) {
    const labels = { network: network.name, endpoint: String(index) }
    metrics.chainHeadBlock.remove(labels)
    metrics.chainFinalBlock.remove(labels)
  }
  const cursor = await findCursor(db.read, network)
  if (cursor === undefined) return
  metrics.chainReadBlock.set({ network: network.name }, cursor.final_block)
  if (cursor.fault !== null) {
    chain.failed(new CairnError('UPSTREAM_FAILED', { message: cursor.fault }))
  } else if (clock.now() - cursor.checked_at > Math.max(silentMs, 10 * network.pollMs)) {
    chain.failed(
      new CairnError('UPSTREAM_FAILED', { message: 'The replica that follows it has not read blocks recently' }),
    )
  } else chain.succeeded()
}
