import { pinCid as pinCidCall } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import { requireCid } from '../content/parse-cid.ts'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { pinCid } from './pins.ts'

/** Registers the pin route. */
export function registerPinRoutes(app: FastifyInstance, context: Context): void {
  route(app, context, pinCidCall, async ({ input: { body }, caller, signal }) => {
    const cid = requireCid(body.cid)
    const { fileName, encryption: isEncrypted } = body
    const pinned = await pinCid(context, caller.address, cid, { fileName, isEncrypted }, signal)
    return {
      message: 'Pinned',
      id: pinned.id,
      cid: pinned.cid,
      fileName: pinned.fileName,
      fileSizeInBytes: String(pinned.sizeBytes),
    }
  })
}
