import { CairnError, type NetworkProfile } from '@cairn/protocol'
import { isUpcoming } from '@cairn/service'
import type { Context } from '../context.ts'
import { addressesOf } from '../names/names.ts'
import { createLeasedWorker } from '../workers/leased-worker.ts'
import type { Worker, WorkerClock } from '../workers/worker.ts'
import { openChain, restartChain } from './chain.ts'
import { announceHead, findLastAdvertisement } from './indexers.ts'
import { adsPerRound, checkDenials, publishDue } from './publish.ts'

const name = 'ipni'
const leaseMs = 60_000
/** Pause between rounds. One round announces at most one head, so this bounds the rate of announcements. */
const intervalMs = 5000
/** Pauses before an indexer that failed is tried again; the last one repeats. */
const retryPausesMs = [10_000, 60_000, 10 * 60_000]
const maxRetryPauseMs = Math.max(...retryPausesMs)

/** The head that an indexer last accepted, and when to try again after a failure. */
type Accepted = { head: string | undefined; tries: number; nextAt: number }

/** State of a publisher in one process, from the moment that it holds the lease. */
export type PublisherState = {
  /** Changes of the denylist that were applied to announcements. */
  denials: number | undefined
  /** Whether indexers were asked how far they read the chain. */
  isCompared: boolean
  readonly accepted: Map<string, Accepted>
}

/** Creates the state of a process that just got the lease. */
export const createPublisherState = (): PublisherState => ({
  denials: undefined,
  isCompared: false,
  accepted: new Map(),
})

/** Publishes the chain and announces its head to the configured indexers. One replica does so at a time. */
export function createIpniWorker(
  context: Context,
  profile: Pick<NetworkProfile, 'api' | 'gateway'>,
  clock: WorkerClock,
): Worker {
  let state = createPublisherState()
  return createLeasedWorker(
    context,
    { name, intervalMs, leaseMs },
    clock,
    async (hold) => {
      const isHeld = await hold((held) => runRound(context, profile, state, held))
      if (!isHeld) state = createPublisherState()
    },
    (error) => context.failures.failed(name, error, 'failed to publish advertisements', { worker: name }),
  )
}

/** Runs one round: publishes what is due, then announces the head to indexers that do not know it. */
export async function runRound(
  context: Context,
  profile: Pick<NetworkProfile, 'api' | 'gateway'>,
  state: PublisherState,
  signal: AbortSignal,
): Promise<void> {
  const { denylist, log } = context
  const [gateway] = addressesOf(profile.gateway)
  const [api] = addressesOf(profile.api)
  if (gateway === undefined || api === undefined) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: 'Indexers need public URLs of the API and the gateway without a path',
    })
  }
  if (!state.isCompared) await requireKnownHead(context, signal)
  state.isCompared = true
  const { changes } = denylist
  if (state.denials !== changes) await checkDenials(context, 'announcement', signal)
  state.denials = changes
  const published = await publishDue(context, [gateway], signal)
  if (published > 0) log.info({ advertisements: published }, 'published advertisements')
  // More are due: one announcement for all of them.
  if (published === adsPerRound) return
  await announceToIndexers(context, api, state, signal)
}

/**
 * Replaces the chain when an indexer has read an advertisement that is not in it: the database was replaced by an older
 * one. Appending to it would fork the chain.
 */
async function requireKnownHead(context: Context, signal: AbortSignal): Promise<void> {
  const { config, db, log } = context
  const chain = await openChain(context)
  for (const indexer of config.ipni.indexers) {
    const last = await findLastAdvertisement(indexer, chain.publisher, signal)
    if (last === undefined) continue
    const text = last.toString()
    const known = await db.read.selectFrom('ipni_ad').select('cid').where('cid', '=', text).executeTakeFirst()
    if (known !== undefined) continue
    log.warn(
      { indexer, advertisement: text, peer: chain.publisher.peerId },
      'an indexer knows a newer advertisement than the database; starting a new chain',
    )
    return restartChain(context, chain.generation)
  }
}

async function announceToIndexers(
  context: Context,
  api: string,
  { accepted }: PublisherState,
  signal: AbortSignal,
): Promise<void> {
  const { config, clock, failures } = context
  const { publisher, head } = await openChain(context)
  if (head === undefined) return
  const text = head.toString()
  for (const indexer of config.ipni.indexers) {
    const known = accepted.get(indexer) ?? { head: undefined, tries: 0, nextAt: 0 }
    if (known.head === text || isUpcoming(known.nextAt, clock.now(), maxRetryPauseMs)) continue
    try {
      await announceHead(indexer, publisher, head, api, signal)
      accepted.set(indexer, { head: text, tries: 0, nextAt: 0 })
    } catch (error) {
      if (signal.aborted) return
      failures.failed('ipni', error, 'failed to announce to an indexer', { indexer })
      const pauseMs = retryPausesMs[Math.min(known.tries, retryPausesMs.length - 1)] ?? 0
      accepted.set(indexer, { ...known, tries: known.tries + 1, nextAt: clock.now() + pauseMs })
    }
  }
}
