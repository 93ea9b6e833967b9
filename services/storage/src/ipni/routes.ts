import { CairnError, getAdvertisement, getAdvertisementHead } from '@cairn/protocol'
import * as dagCbor from '@ipld/dag-cbor'
import type { FastifyInstance } from 'fastify'
import { requireCid } from '../content/parse-cid.ts'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { encodeHead } from './advertisement.ts'
import { findChain, findChainBlock } from './chain.ts'

/** Registers the HTTP API of a publisher. @see https://github.com/ipni/specs/blob/main/IPNI_HTTP_PROVIDER.md */
export function registerIpniRoutes(app: FastifyInstance, context: Context): void {
  route(app, context, getAdvertisementHead, async ({ reply }) => {
    const chain = await findChain(context)
    reply.header('cache-control', 'no-cache, no-store, must-revalidate')
    if (chain?.head === undefined) return reply.code(204).send()
    return reply.type('application/json').send(Buffer.from(encodeHead(chain.publisher, chain.head)))
  })
  route(app, context, getAdvertisement, async ({ input: { params }, reply }) => {
    const cid = requireCid(params.cid)
    const bytes = await findChainBlock(context, cid)
    if (bytes === undefined) throw new CairnError('NOT_FOUND')
    return reply
      .type(cid.code === dagCbor.code ? 'application/vnd.ipld.dag-cbor' : 'application/vnd.ipld.dag-json')
      .header('cache-control', 'public, max-age=29030400, immutable')
      .send(Buffer.from(bytes))
  })
}
