import { canonicalCid } from '@cairn/crypto'
import { CairnError, exchangeSpares } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { answerPeer } from './answer.ts'

/** Registers the call with which nodes exchange parts of spare shards. */
export function registerSpareRoutes(app: FastifyInstance, context: Context): void {
  route(app, context, exchangeSpares, async ({ input: { body }, caller }) => {
    if (caller.peer === undefined) throw new CairnError('INVALID_SIGNATURE')
    const { cids = [], after } = body
    return { statement: await answerPeer(context, caller.peer, { cids: cids.map(canonicalCid), after }) }
  })
}
