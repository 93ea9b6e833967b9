import { CairnError } from '@cairn/protocol'
import type { PaymentEvent } from './chain.ts'
import type { IndexParts } from './index-parts.ts'
import { findUndropped } from './missing-payments.ts'
import type { Answer, Panel } from './panel.ts'
import type { Sighting } from './read-final.ts'
import { RpcRefusal } from './rpc.ts'
import { findMissing, nameOf, orphanUnseen, writePayment } from './store.ts'

/** Number of blocks after the final one in which payments are shown as seen; the newest ones, when finality lags. */
const maxUnfinal = 2_000
/** Maximum number of queries for them per round, when an endpoint limits the range to a few blocks. */
const maxQuestions = 20

/**
 * Shows payments in blocks that are not final yet; none of them counts. A payment is shown if a quorum shows it, and
 * as dropped only if no endpoint shows it and a quorum has another block in its place: a lagging or lying endpoint must not
 * suggest that money was returned.
 * @returns the number shown; undefined if the range must be smaller
 */
export async function showUnfinal(
  parts: IndexParts,
  panel: Panel,
  voters: readonly Answer<Sighting>[],
  { next, headNumber, range }: { next: number; headNumber: number; range: number },
): Promise<number | undefined> {
  const { context, network } = parts
  const from = Math.max(next, headNumber - Math.min(maxUnfinal, maxQuestions * range) + 1)
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
  const reported = Map.groupBy(
    answers.flatMap(({ value }) => value),
    ({ fingerprint }) => fingerprint,
  )
  const shown = [...reported.values()]
    .filter(({ length }) => length >= network.quorum)
    .flatMap(([event]) => event ?? [])
  const known = new Set([...reported.values()].flatMap(([event]) => (event === undefined ? [] : nameOf(event))))
  const head = voters.find(({ value }) => value.head.number === headNumber)?.value.head
  if (head === undefined) throw new CairnError('INTERNAL', { message: 'No endpoint has the agreed head' })
  const missing = await findMissing(context.db.read, network, { from, to: headNumber, reported: known })
  const endpoints = answers.map(({ endpoint }) => endpoint)
  const kept = new Set([...known, ...(await findUndropped(network, panel, endpoints, missing))])
  const now = context.clock.now()
  await context.db.write(async (trx) => {
    await parts.requireLease(trx)
    for (const event of shown) await writePayment(trx, network, event, { blockTimeMs: head.timeMs, now })
    await orphanUnseen(trx, network, { from, to: headNumber, kept, now })
    await trx
      .updateTable('chain_cursor')
      .set({ head_block: headNumber, checked_at: now, fault: null, fault_facts: null })
      .where('chain_id', '=', network.chainId)
      .execute()
  })
  return shown.length
}
