import { parseName } from '@cairn/names'
import {
  CairnError,
  getRoutedName,
  getRoutedPeers,
  getRoutedProviders,
  maxNameRecordBytes,
  type NetworkProfile,
  putRoutedName,
} from '@cairn/protocol'
import { readBody } from '@cairn/service'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { identityCode, requireCid } from '../content/parse-cid.ts'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { acceptRecord, findRecord } from './names.ts'
import { ageOf } from './resolve-name.ts'
import { describeGatewayOnce, filterPeer, type PeerFilters, type PeerRecord, peerIdOf, recordTag } from './routing.ts'

const recordType = 'application/vnd.ipfs.ipns-record'
const linesType = 'application/x-ndjson'
/** Missing content may appear at any moment. */
const emptyAge = 'public, max-age=15'
const foundAge = 'public, max-age=300'
/** For records without a TTL, as the specification defines. */
const defaultAgeSeconds = 60

/** Registers the delegated routing API. @see https://specs.ipfs.tech/routing/http-routing-v1/ */
export function registerRoutingRoutes(app: FastifyInstance, context: Context, profile: () => NetworkProfile): void {
  const describe = describeGatewayOnce(context.secret, () => profile().gateway)

  route(app, context, getRoutedName, async ({ input: { params }, raw, reply }) => {
    requireAccepted(raw.headers.accept)
    reply.header('vary', 'Origin, Accept')
    const record = await unlessUnknown(() => findRecord(context, params.name))
    if (record === undefined) {
      return reply
        .header('cache-control', emptyAge)
        .type('text/plain; charset=utf-8')
        .send('no record of this name found\n')
    }
    const { ttlMs } = record
    const age = ageOf(ttlMs === 0 ? { ...record, ttlMs: defaultAgeSeconds * 1000 } : record, context.clock.now())
    const etag = recordTag(record.bytes)
    reply.header('cache-control', `public, max-age=${Math.floor(age / 1000)}`).header('etag', etag)
    if (raw.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    return reply
      .type(recordType)
      .header('content-disposition', `attachment; filename="${record.name}.ipns-record"`)
      .send(Buffer.from(record.bytes))
  })
  route(app, context, putRoutedName, async ({ input: { params }, raw, reply }) => {
    if (raw.headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== recordType) {
      throw new CairnError('NOT_ACCEPTABLE', {
        message: 'This content type is not accepted',
        hint: `Send the record with Content-Type: ${recordType}.`,
      })
    }
    const limits = { maxBytes: maxNameRecordBytes, timeoutMs: context.config.bodyTimeoutMs }
    await acceptRecord(context, params.name, await readBody(raw.raw, limits))
    return reply.type('text/plain; charset=utf-8').send('')
  })
  route(app, context, getRoutedProviders, async ({ input: { params, query }, raw, reply }) => {
    const cid = requireCid(params.cid)
    const isHere =
      cid.multihash.code === identityCode || (!context.denylist.denies(cid) && (await context.packs.has(cid)))
    return sendPeers(raw, reply, 'Providers', isHere ? await describe() : undefined, query)
  })
  route(app, context, getRoutedPeers, async ({ input: { params, query }, raw, reply }) => {
    const gateway = await describe()
    const isOwn = peerIdOf(parseName(params.name)) === gateway.ID
    return sendPeers(raw, reply, 'Peers', isOwn ? gateway : undefined, query)
  })
}

function requireAccepted(accept: string | undefined): void {
  if (
    accept === undefined ||
    /(?:^|[\s,])(?:\*\/\*|application\/\*|application\/vnd\.ipfs\.ipns-record)/i.test(accept)
  ) {
    return
  }
  throw new CairnError('NOT_ACCEPTABLE', {
    message: 'Records are available only in their signed form',
    hint: `Request it with Accept: ${recordType}.`,
  })
}

/** A name that is unknown, or whose record has expired, is an ordinary answer here. */
async function unlessUnknown<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (CairnError.is(error, 'NAME_NOT_FOUND') || CairnError.is(error, 'NAME_EXPIRED')) return undefined
    throw error
  }
}

function sendPeers(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  field: 'Providers' | 'Peers',
  record: PeerRecord | undefined,
  filters: PeerFilters,
): FastifyReply {
  const found = record === undefined ? undefined : filterPeer(record, filters)
  const peers = found === undefined ? [] : [found]
  reply.header('vary', 'Origin, Accept').header('cache-control', peers.length === 0 ? emptyAge : foundAge)
  if (headers.accept?.includes(linesType)) {
    // Sent as bytes: the framework would add a charset to a text, which this type does not allow.
    return reply.type(linesType).send(Buffer.from(peers.map((peer) => `${JSON.stringify(peer)}\n`).join('')))
  }
  return reply.type('application/json').send(JSON.stringify({ [field]: peers }))
}
