import {
  CairnError,
  getAggregatePayload,
  getCopies,
  getDealStatus,
  getPdpDealStatus,
  getProof,
  getProofs,
  listChecks,
  requestPdpDeal,
  setCopies,
} from '@cairn/protocol'
import { chooseRange, readBearer } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import { requireCid } from '../content/parse-cid.ts'
import type { Context } from '../context.ts'
import { payloadStepBytes } from '../deals/deals.ts'
import { route } from '../http/route.ts'
import { sendReply } from '../http/send-reply.ts'
import { readCopies, writeCopies } from '../pieces/pieces.ts'
import type { Provider } from '../providers/providers.ts'
import { createProofs } from './proofs.ts'
import { stopStalled } from './stop-stalled.ts'
import { describeDeals, describeInclusion, describePdpDeals } from './wire-answers.ts'

/** A provider that reads nothing for this long is disconnected; it may request the rest. */
const stalledMs = 120_000

/** Registers the routes about deals, storage proofs and the replication factor. */
export function registerProofRoutes(app: FastifyInstance, context: Context, providers: readonly Provider[]): void {
  const proofs = createProofs(context, providers)

  route(app, context, getDealStatus, ({ input: { query } }) => describeDeals(proofs, requireCid(query.cid)))
  route(app, context, getProof, async ({ input: { query } }) => {
    const proof = await describeInclusion(proofs, requireCid(query.cid))
    if (proof === undefined) throw new CairnError('PROOF_NOT_FOUND')
    return proof
  })
  route(app, context, getPdpDealStatus, ({ input: { query } }) => describePdpDeals(proofs, requireCid(query.cid)))
  route(app, context, requestPdpDeal, async ({ input: { query } }) => {
    const cid = requireCid(query.cid)
    if ((await proofs.place(cid)) === undefined)
      throw new CairnError('BLOCK_NOT_FOUND', { details: { cid: cid.toString() } })
    return 'Success' as const
  })
  route(app, context, getProofs, ({ input: { params, query } }) => proofs.describe(requireCid(params.cid), query.from))
  route(app, context, listChecks, ({ input: { params, query } }) => proofs.listChecks(params.piece, query))
  route(app, context, getCopies, ({ caller }) => readCopies(context, caller.address))
  route(app, context, setCopies, ({ input: { body }, caller }) => writeCopies(context, caller.address, body.copies))
  route(app, context, getAggregatePayload, async ({ input: { params }, raw, reply, signal }) => {
    const payload = await proofs.openPayload(params.piece, readBearer(raw.headers.authorization))
    const choice = chooseRange(raw.headers.range, payload.sizeBytes)
    if (choice === 'none') throw new CairnError('INVALID_RANGE', { details: { sizeBytes: payload.sizeBytes } })
    const { start, end } = choice === 'whole' ? { start: 0, end: payload.sizeBytes } : choice
    const headers: Record<string, string> = {
      'content-type': 'application/octet-stream',
      'accept-ranges': 'bytes',
      'content-length': String(end - start),
      'cache-control': 'no-store',
    }
    if (choice !== 'whole') headers['content-range'] = `bytes ${start}-${end - 1}/${payload.sizeBytes}`
    const status = choice === 'whole' ? 200 : 206
    if (raw.method === 'HEAD') return sendReply(raw, reply, { status, headers })
    const buffer = new Uint8Array(Math.min(payloadStepBytes, end - start))
    // The collector counts such memory, but does not run for it before there are 64 MiB.
    reply.raw.once('finish', () => buffer.buffer.transfer(0))
    const bytes = stopStalled(payload.read(start, end, signal, buffer), stalledMs, () => {
      context.log.info({ piece: params.piece }, 'provider stalled during a fetch')
      reply.raw.destroy()
    })
    return sendReply(raw, reply, { status, headers, body: () => bytes }, { reusesBuffer: true })
  })
}
