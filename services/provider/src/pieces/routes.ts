import {
  challengePiece,
  describeProvider,
  getPiecePayload,
  getPieceStatus,
  listPieces,
  offerPiece,
  removePiece,
} from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { answerChallenge } from './challenge.ts'
import { acceptOffer } from './offer.ts'
import type { Pulls } from './pulls.ts'
import { removePieceOf } from './remove.ts'
import { createPayloadServer } from './serve-payload.ts'
import { describePiece, describeSelf, listStatus } from './status.ts'

/** Registers the routes about pieces and the provider itself. */
export function registerPieceRoutes(app: FastifyInstance, context: Context, pulls: Pulls): void {
  const servePayload = createPayloadServer(context)
  route(app, context, describeProvider, async () => describeSelf(context))
  route(app, context, offerPiece, async ({ input: { body } }) => {
    const cid = await acceptOffer(context, body)
    pulls.wake()
    return describePiece(context, cid)
  })
  route(app, context, getPieceStatus, async ({ input: { params } }) => describePiece(context, params.cid))
  route(app, context, listPieces, async ({ input: { query } }) => listStatus(context, query))
  route(app, context, challengePiece, async ({ input: { params, body } }) => answerChallenge(context, params.cid, body))
  route(app, context, getPiecePayload, async ({ input: { params }, raw, reply }) =>
    servePayload(params.cid, raw, reply),
  )
  route(app, context, removePiece, async ({ input: { params } }) => removePieceOf(context, params.cid))
}
