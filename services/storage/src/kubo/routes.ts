import {
  CairnError,
  catKubo,
  kuboBlockGet,
  kuboBlockStat,
  kuboDagExport,
  kuboDagGet,
  kuboDagResolve,
  kuboGet,
  kuboId,
  kuboLs,
  kuboNameResolve,
  kuboResolve,
  kuboVersion,
  type NetworkProfile,
  refuseKubo,
} from '@cairn/protocol'
import { loadNode } from '@cairn/unixfs'
import type { FastifyInstance } from 'fastify'
import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import { toTarItem, writeCar, writeTar } from '../gateway/gateway.ts'
import { route } from '../http/route.ts'
import { sendBytes, sendJson, sendLines } from '../http/send-lines.ts'
import { guardPacks } from '../moderation/moderation.ts'
import { describeGatewayOnce, type NameClient, type NameResolver } from '../names/names.ts'
import { serviceVersion } from '../service/service-version.ts'
import { openCat } from './cat-file.ts'
import { encodeNode } from './encode-node.ts'
import { registerKuboKeyRoutes } from './key-routes.ts'
import { followKuboPath, type KuboEntity, openKuboPath } from './kubo-path.ts'
import { kuboRoute } from './kubo-route.ts'
import {
  collectLinks,
  type KuboLink,
  type Listed,
  listLinks,
  newListing,
  toListed,
  writeListing,
} from './list-links.ts'
import { registerKuboPinRoutes } from './pin-routes.ts'
import { registerKuboPutRoutes } from './put-routes.ts'
import { registerKuboStatRoutes } from './stat-routes.ts'

/** The supported release of Kubo's RPC API; Kubo's CLI adapts its requests to it. */
const kuboVersionFollowed = '0.43.0'

const keyHint = 'Private keys are neither imported nor exported. Use `cairn name import` or `cairn name export`.'
/** Alternatives to some calls that are not supported. */
const refusalHints: Readonly<Record<string, string>> = {
  'key/import': keyHint,
  'key/export': keyHint,
  'block/rm': 'A block is removed with the last upload or pin that needs it. Use pin/rm.',
}

/** Registers the calls of Kubo's CLI and clients besides `add` and `dag/import`. */
export function registerKuboRoutes(
  app: FastifyInstance,
  context: Context,
  names: NameResolver,
  profile: () => NetworkProfile,
): void {
  const { denylist } = context
  const packs = guardPacks(context.packs, denylist)
  const reading = { packs, names, denylist }
  const describe = describeGatewayOnce(context.secret, () => profile().gateway)

  kuboRoute(app, context, kuboVersion, async () => ({
    // Only digits and dots: some clients parse it as three numbers.
    Version: kuboVersionFollowed,
    Commit: 'cairn',
    Repo: '',
    System: '',
    Golang: '',
  }))

  kuboRoute(app, context, kuboId, async ({ input: { query } }) => {
    if (query['arg'] !== undefined) {
      throw new CairnError('NOT_SUPPORTED', { message: 'This service has no peers. Call id without a peer' })
    }
    const { ID, Addrs, Protocols } = await describe()
    return {
      ID,
      PublicKey: '',
      Addresses: Addrs.map((address) => `${address}/p2p/${ID}`),
      AgentVersion: `cairn/${serviceVersion}`,
      Protocols,
    }
  })

  kuboRoute(app, context, catKubo, async ({ input: { query }, reply, client }) => {
    const { arg, offset, length } = query
    const { sizeBytes, bytes } = await openCat(reading, arg, { offset, length, client })
    return sendBytes(reply.header('x-content-length', String(sizeBytes)), bytes)
  })

  kuboRoute(app, context, kuboGet, async ({ input: { query }, reply, client, signal }) => {
    if (query.compress) {
      throw new CairnError('NOT_SUPPORTED', { message: 'Compressed archives are not supported. Omit compress' })
    }
    const entity = await openKuboPath(reading, query.arg, client)
    if (entity.remaining.length > 0 || entity.node.kind === 'other') {
      throw new CairnError('NOT_ACCEPTABLE', { message: 'A TAR can contain only files and folders' })
    }
    if ('fileSizeBytes' in entity.node) reply.header('x-content-length', String(entity.node.fileSizeBytes))
    return sendBytes(reply, writeTar({ source: packs, signal }, toTarItem(entity, entity.name)), 'application/x-tar')
  })

  kuboRoute(app, context, kuboLs, async ({ input: { query }, reply, client, signal }) => {
    const readsEntries = (query['resolve-type'] ?? true) || (query.size ?? true)
    // All must exist before the first is listed. The links of a node may take MiB, so those of many are read one by one.
    const found: { path: string; cid: CID; listed?: Listed }[] = []
    for (const path of query.arg) {
      const { cid, node } = await openKuboPath(reading, path, client)
      found.push(query.arg.length === 1 ? { path, cid, listed: toListed(cid, node) } : { path, cid })
    }
    const list = async function* ({ cid, listed }: { cid: CID; listed?: Listed }) {
      const one = listed ?? toListed(cid, await loadNode(packs, cid, { signal }))
      yield* listLinks(packs, one, { signal, readsEntries })
    }
    if (!query.stream) {
      const objects: { Hash: string; Links: KuboLink[] }[] = []
      const space = newListing()
      for (const one of found) {
        objects.push({ Hash: one.path, Links: await collectLinks(list(one), signal, space) })
      }
      return sendJson(reply, writeListing(objects, signal))
    }
    const lines = async function* () {
      for (const one of found) {
        for await (const link of list(one)) yield { Objects: [{ Hash: one.path, Links: [link] }] }
      }
    }
    return sendLines(reply, lines())
  })

  kuboRoute(app, context, kuboDagGet, async ({ input: { query }, reply, client, signal }) => {
    const { cid, remaining } = await openKuboPath(reading, query.arg, client)
    const bytes = await packs.get(cid, { signal })
    return sendBytes(reply, encodeNode(cid, bytes, remaining, query['output-codec'] ?? 'dag-json'))
  })

  kuboRoute(app, context, kuboDagExport, async ({ input: { query }, reply, client, signal }) => {
    const { cid } = await openWhole(query.arg, client)
    return sendBytes(reply, writeCar({ source: packs }, { cid, blocks: [cid] }, { withIdentity: true, signal }))
  })

  kuboRoute(app, context, kuboDagResolve, async ({ input: { query }, client }) => {
    const { cid, remaining } = await openKuboPath(reading, query.arg, client)
    return { Cid: { '/': cid.toString() }, RemPath: remaining.map((name) => `/${name}`).join('') }
  })

  kuboRoute(app, context, kuboBlockGet, async ({ input: { query }, reply, client, signal }) => {
    const { cid } = await openBlock(query.arg, client)
    return sendBytes(reply, await packs.get(cid, { signal }))
  })

  kuboRoute(app, context, kuboBlockStat, async ({ input: { query }, client, signal }) => {
    const { cid } = await openBlock(query.arg, client)
    return { Key: cid.toString(), Size: (await packs.get(cid, { signal })).length }
  })

  kuboRoute(app, context, kuboResolve, async ({ input: { query }, client }) => {
    const { cid, remaining } = await openKuboPath(reading, query.arg, client)
    return { Path: ['/ipfs', cid.toString(), ...remaining].join('/') }
  })

  kuboRoute(app, context, kuboNameResolve, async ({ input: { query }, client }) => {
    const path = /^\/ip[fn]s\/|^ip[fn]s:\/\//.test(query.arg) ? query.arg : `/ipns/${query.arg}`
    const { cidText, segments } = await followKuboPath(reading, path, client)
    if (!/^\/?ipns/.test(path)) {
      throw new CairnError('INVALID_NAME', { message: `"${query.arg.slice(0, 200)}" is not an IPNS name` })
    }
    return { Path: ['/ipfs', cidText, ...segments].join('/') }
  })

  registerKuboPinRoutes(app, context, reading)
  registerKuboPutRoutes(app, context)
  registerKuboStatRoutes(app, context, reading)
  registerKuboKeyRoutes(app, context, reading)

  route(app, context, refuseKubo, async ({ input: { params } }) => {
    throw new CairnError('NOT_SUPPORTED', {
      message: `This service does not support Kubo's call "${params.call.slice(0, 100)}"`,
      hint: refusalHints[params.call] ?? 'See docs/how-to/kubo.md for the supported calls.',
    })
  })

  async function openWhole(arg: string, client: NameClient): Promise<KuboEntity> {
    const entity = await openKuboPath(reading, arg, client)
    if (entity.remaining.length === 0) return entity
    throw new CairnError('NOT_SUPPORTED', { message: 'The path points to a value in a document that is not a link' })
  }

  /** A block may have any codec, unless a path goes through it. */
  async function openBlock(arg: string, client: NameClient): Promise<Pick<KuboEntity, 'cid'>> {
    const { cid, segments } = await followKuboPath(reading, arg, client)
    return segments.length === 0 ? { cid } : openWhole(arg, client)
  }
}
