import { getThumbnails, putThumbnail } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { findThumbnails, putThumbnail as storeThumbnail } from './store.ts'

/** Registers the calls about thumbnails. */
export function registerThumbnailRoutes(app: FastifyInstance, context: Context): void {
  route(app, context, putThumbnail, async ({ input: { params, body }, caller }) => {
    await storeThumbnail(context, caller.address, params.cid, Buffer.from(body.data, 'base64'))
    return { cid: params.cid }
  })

  route(app, context, getThumbnails, async ({ input: { query }, caller }) => {
    const found = await findThumbnails(context, caller.address, query.cids)
    return { thumbnails: [...found].map(([cid, data]) => ({ cid, data: Buffer.from(data).toString('base64') })) }
  })
}
