import { getConditions } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { findCaller } from '../sessions/authorize.ts'
import { bindShardCalls } from './calls.ts'
import { describeConditions } from './describe-conditions.ts'
import { promoteRecord } from './promote.ts'

/** Published clients make their five calls within this time. */
const settleAgainMs = 10_000

/** Registers the routes about keys, rights and conditions. */
export function registerShardRoutes(app: FastifyInstance, context: Context): void {
  /**
   * Settles a save in the background, and again when the other nodes have received their calls. Later requests and
   * the sweep retry failures.
   */
  const settle = (cid: string) => {
    const once = () => {
      promoteRecord(context, cid).catch((error: unknown) =>
        context.failures.failed('save', error, 'failed to settle a save'),
      )
    }
    once()
    // The timer does not keep the process alive: the sweep of the next process takes over.
    setTimeout(once, settleAgainMs).unref()
  }
  bindShardCalls((call, work) => route(app, context, call, work), context, settle)

  route(app, context, getConditions, async ({ input: { params }, raw }) => {
    const caller = await findCaller(context, raw)
    return describeConditions(context, params.cid, caller?.address)
  })
}
