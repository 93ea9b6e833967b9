import { createTag, getTagDetails } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { findTagged, putTag } from './store.ts'

/** Registers the calls about tags of uploads. */
export function registerTagRoutes(app: FastifyInstance, context: Context): void {
  route(app, context, createTag, async ({ input: { body }, caller }) => {
    await putTag(context, caller.address, body.tag, body.cid)
    return { data: { tag: body.tag, cid: body.cid } }
  })

  route(app, context, getTagDetails, async ({ input: { query }, caller }) => {
    const cid = await findTagged(context, caller.address, query.tag)
    return { data: cid === undefined ? null : { tag: query.tag, cid } }
  })
}
