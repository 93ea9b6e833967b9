import { getEgress } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { findEgress } from './egress.ts'

/** Registers the call about sent bytes. */
export function registerEgressRoutes(app: FastifyInstance, context: Context): void {
  route(app, context, getEgress, async ({ input: { query }, caller }) => ({
    days: await findEgress(context, caller.address, query.days),
  }))
}
