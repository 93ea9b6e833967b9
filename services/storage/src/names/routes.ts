import {
  CairnError,
  createName,
  exportName,
  generateIpnsKey,
  getIpnsRecords,
  getName,
  labelName,
  listNameRecords,
  listNames,
  publishIpnsRecord,
  publishName,
  registerName,
  removeIpnsKey,
  removeName,
  resolveName,
  scopes,
} from '@cairn/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import * as names from './names.ts'

/** Registers the routes about names: our own, and those of published clients. */
export function registerNameRoutes(app: FastifyInstance, context: Context): void {
  route(app, context, listNames, async ({ input: { query }, caller }) => ({
    names: await names.listNames(context, caller.address, query),
  }))
  route(app, context, createName, ({ input: { body }, caller }) =>
    names.createName(context, caller.address, { label: body.label ?? undefined }),
  )
  route(app, context, getName, ({ input: { params }, caller }) => names.getName(context, caller.address, params.name))
  route(app, context, labelName, ({ input: { params, body }, caller }) =>
    names.labelName(context, caller.address, params.name, body.label),
  )
  route(app, context, removeName, async ({ input: { params }, caller }) => {
    await names.removeName(context, caller.address, params.name)
    return { message: 'Name removed' }
  })
  route(app, context, publishName, ({ input: { params, body }, caller }) =>
    names.publishName(context, caller.address, params.name, {
      ...body,
      sequence: body.sequence === undefined ? undefined : BigInt(body.sequence),
    }),
  )
  route(app, context, listNameRecords, ({ input: { params, query }, caller }) =>
    names.listHistory(context, caller.address, params.name, query),
  )
  route(app, context, registerName, async ({ input: { params, body }, caller }) => {
    const bytes = Buffer.from(body.record, 'base64')
    await names.registerRecord(context, caller.address, { name: params.name, bytes, label: body.label })
    return names.getName(context, caller.address, params.name)
  })
  route(app, context, resolveName, async ({ input: { params } }) =>
    names.describeSigned(await names.findRecord(context, params.name)),
  )
  route(app, context, exportName, async ({ input: { params, body }, caller }) => {
    const missing = scopes.filter((scope) => !caller.scopes.includes(scope))
    if (missing.length > 0) {
      throw new CairnError('FORBIDDEN', {
        message: 'Exporting a name key requires an API key with all scopes',
        details: { scope: missing.join(', ') },
      })
    }
    const { format = 'libp2p' } = body
    return { format, ...(await names.exportName(context, caller.address, params.name, format)) }
  })
  registerPublishedRoutes(app, context)
}

/** The four calls of published clients. Two of them change state by GET, for compatibility. */
function registerPublishedRoutes(app: FastifyInstance, context: Context): void {
  route(app, context, generateIpnsKey, async ({ caller, raw }) => {
    refuseHead(raw)
    const { id, name } = await names.createName(context, caller.address)
    return { ipnsName: id, ipnsId: name }
  })
  route(app, context, publishIpnsRecord, async ({ input: { query }, caller, raw }) => {
    refuseHead(raw)
    const { name, value } = await asPublished(() =>
      names.publishName(context, caller.address, query.keyName, { value: `/ipfs/${query.cid}` }),
    )
    return { Name: name, Value: value }
  })
  route(app, context, getIpnsRecords, async ({ caller }) =>
    (await names.listHeldNames(context, caller.address)).map((one) => ({
      ipnsName: one.id,
      ipnsId: one.name,
      publicKey: caller.address,
      cid: one.cid ?? '',
      lastUpdate: one.updatedAt,
    })),
  )
  route(app, context, removeIpnsKey, async ({ input: { query }, caller }) => {
    const { id, name } = await asPublished(() => names.removeName(context, caller.address, query.keyName))
    return { Keys: [{ Name: id, Id: name }] }
  })
}

/** Rejects HEAD, because here a GET changes state. */
function refuseHead({ method }: FastifyRequest): void {
  if (method === 'HEAD') throw new CairnError('METHOD_NOT_ALLOWED', { details: { allow: 'GET' } })
}

/** Published clients expect an unknown key to be a server error with one fixed sentence. */
async function asPublished<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!CairnError.is(error, 'NAME_NOT_FOUND') && !CairnError.is(error, 'INVALID_NAME')) throw error
    throw new CairnError('IPNS_KEY_UNKNOWN', { cause: error })
  }
}
