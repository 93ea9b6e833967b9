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

/** Binds the calls about keys, rights and conditions to HTTP. */
export function registerShardRoutes(app: FastifyInstance, context: Context): void {
  /**
   * Settles a save in the background, and once more when the other nodes have had their call. What fails is tried again by
   * whoever asks next, and by the sweep.
   */
  const settle = (cid: string) => {
    const once = () => {
      promoteRecord(context, cid).catch((error: unknown) =>
        context.failures.failed('save', error, 'settling a save failed'),
      )
    }
    once()
    // It keeps nothing alive: at the end of the process the sweep of the next one takes over.
    setTimeout(once, settleAgainMs).unref()
  }
  bindShardCalls((call, work) => route(app, context, call, work), context, settle)

  route(app, context, getConditions, async ({ input: { params }, raw }) => {
    const caller = await findCaller(context, raw)
    return describeConditions(context, params.cid, caller?.address)
  })
}
