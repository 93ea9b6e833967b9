import { deleteDriveUploads, getDrive, putDrivePart, removeDrive } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { deleteUploads, findParts, putPart, removeAll } from './store.ts'

/** Registers the calls about the drive. */
export function registerDriveRoutes(app: FastifyInstance, context: Context): void {
  route(app, context, getDrive, async ({ input: { query }, caller }) => {
    const { revision, parts } = await findParts(context, caller.address, query.since)
    return {
      revision,
      parts: parts.map(({ first, last, data }) => ({ first, last, data: Buffer.from(data).toString('base64') })),
    }
  })

  route(app, context, putDrivePart, async ({ input: { body }, caller }) => ({
    revision: await putPart(context, caller.address, { ...body, data: Buffer.from(body.data, 'base64') }),
  }))

  route(app, context, removeDrive, async ({ input: { query }, caller }) => {
    await removeAll(context, caller.address, query.revision)
    return { revision: 0 }
  })

  route(app, context, deleteDriveUploads, async ({ input: { body }, caller }) => ({
    kept: await deleteUploads(context, caller.address, body),
  }))
}
