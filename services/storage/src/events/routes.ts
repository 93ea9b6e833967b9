import { Readable } from 'node:stream'
import { eventTypes, exportEvents, listEvents, streamEvents } from '@cairn/protocol'
import { whenClosed } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { createEventHub, type FindEndedKeys } from './event-hub.ts'
import { exportEventLog } from './export-log.ts'
import { findPosition, readEvents, selectTypes } from './read-events.ts'

/** Registers the calls that read the event log. */
export function registerEventRoutes(app: FastifyInstance, context: Context, findEndedKeys: FindEndedKeys): void {
  const hub = createEventHub(context, findEndedKeys)
  // A listener closes once its responses have ended.
  app.addHook('preClose', () => hub.close())

  route(app, context, listEvents, async ({ input: { query }, caller }) => {
    const types = selectTypes(caller.scopes, query.types)
    const after = await findPosition(context, caller.address, query.after)
    const { position: _, ...page } = await readEvents(context, caller.address, { after, types, limit: query.limit })
    return page
  })

  route(app, context, exportEvents, async ({ caller, reply }) => {
    // The log is complete, so it needs the scopes of all types.
    selectTypes(caller.scopes, eventTypes)
    return reply
      .header('content-type', 'application/x-ndjson; charset=utf-8')
      .send(Readable.from(exportEventLog(context, caller.address), { objectMode: false }))
  })

  route(app, context, streamEvents, async ({ input: { query, headers }, caller, reply }) => {
    const types = selectTypes(caller.scopes, query.types)
    const after = await findPosition(context, caller.address, headers['last-event-id'] ?? query.after ?? 'latest')
    const { body, release } = hub.open({ address: caller.address, keyId: caller.keyId, types, after })
    // A stream that was never read does not run its own cleanup.
    whenClosed(reply.raw, release)
    return (
      reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        // Proxies such as nginx would collect events before they pass them on.
        .header('x-accel-buffering', 'no')
        .send(Readable.from(body, { objectMode: false }))
    )
  })
}
