import { CairnError } from '@cairn/protocol'
import type { PaymentEvent } from './chain.ts'
import type { IndexParts } from './index-network.ts'
import type { Answer, Panel } from './panel.ts'
import type { Sighting } from './read-final.ts'
import { RpcRefusal } from './rpc.ts'
import { nameOf, orphanUnseen, writePayment } from './store.ts'

/** Blocks above the final one in which payments are shown as seen; of a chain that is long without finality, the newest. */
const unfinalMost = 2_000
/** Questions for them in one round, where an endpoint answers a few blocks at a time. */
const questionsMost = 20

/**
 * Shows what is in blocks that are not final yet; none of it counts. A payment is shown if a quorum shows it, and as dropped
 * only if no endpoint shows it: one that lags or lies tells nobody that money is back.
 * @returns how many are shown; undefined if the range has to be smaller
 */
export async function showUnfinal(
  parts: IndexParts,
  panel: Panel,
  voters: readonly Answer<Sighting>[],
  { next, headNumber, range }: { next: number; headNumber: number; range: number },
): Promise<number | undefined> {
  const { context, network } = parts
  const from = Math.max(next, headNumber - Math.min(unfinalMost, questionsMost * range) + 1)
  const heads = new Map(voters.map(({ endpoint, value }) => [endpoint, value.head]))
  const { answers, failures } = await panel.settle([...heads.keys()], async (endpoint) => {
    const to = Math.min(heads.get(endpoint)?.number ?? -1, headNumber)
    const events: PaymentEvent[] = []
    for (let at = from; at <= to; at += range) {
      events.push(...(await endpoint.reader.getPayments(at, Math.min(to, at + range - 1))))
    }
    return events
  })
  const isTooWide = answers.length < network.quorum && range > 1
  if (isTooWide && failures.some(({ error }) => error instanceof RpcRefusal)) return undefined
  panel.note(failures, answers.length)
  const told = Map.groupBy(
    answers.flatMap(({ value }) => value),
    ({ fingerprint }) => fingerprint,
  )
  const shown = [...told.values()].filter(({ length }) => length >= network.quorum).flatMap(([event]) => event ?? [])
  const known = new Set([...told.values()].flatMap(([event]) => (event === undefined ? [] : nameOf(event))))
  const head = voters.find(({ value }) => value.head.number === headNumber)?.value.head
  if (head === undefined) throw new CairnError('INTERNAL', { message: 'No endpoint has the head that was agreed on' })
  const now = context.clock.now()
  await context.db.write(async (trx) => {
    await parts.requireLease(trx)
    for (const event of shown) await writePayment(trx, network, event, { blockTimeMs: head.timeMs, now })
    await orphanUnseen(trx, network, { from, to: Number.MAX_SAFE_INTEGER, kept: known, now })
    await trx
      .updateTable('chain_cursor')
      .set({ head_block: headNumber, checked_at: now, fault: null })
      .where('chain_id', '=', network.chainId)
      .execute()
  })
  return shown.length
}
