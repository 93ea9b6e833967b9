import { getConditions } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { findCaller } from '../sessions/authorize.ts'
import { type Bind, bindShardCalls } from './calls.ts'
import { describeConditions } from './describe-conditions.ts'
import { promoteRecord } from './peers/promote.ts'

/** Published clients make their five calls within this time. */
const settleAfterMs = 10_000

/** Registers the routes about keys, rights and conditions. */
export function registerShardRoutes(app: FastifyInstance, context: Context): void {
  /**
   * Settles a save in the background when the other nodes have received their calls. A key that replaces another is
   * settled at once, too: its readers wait for it. A first one opens without, and before its peers have their shards the
   * answers to all nodes would only slow their calls down. Later requests and the sweep retry failures.
   */
  const settle = (cid: string, waits: boolean | undefined) => {
    const once = () => {
      promoteRecord(context, cid).catch((error: unknown) =>
        context.failures.failed('save', error, 'failed to settle a save'),
      )
    }
    if (waits === true) once()
    // The timer does not keep the process alive: the sweep of the next process takes over.
    setTimeout(once, settleAfterMs).unref()
  }
  const bind: Bind = (call, work) => route(app, context, call, (request) => work({ ...request, ip: request.raw.ip }))
  bindShardCalls(bind, context, settle)

  route(app, context, getConditions, async ({ input: { params }, raw }) => {
    const caller = await findCaller(context, raw)
    return describeConditions(context, params.cid, caller?.address)
  })
}
