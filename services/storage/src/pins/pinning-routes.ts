import { randomUUID } from 'node:crypto'
import {
  createPin as createPinCall,
  getPin as getPinCall,
  listPins as listPinsCall,
  type NetworkProfile,
  type PinStatus,
  type RequestedPin,
  removePin as removePinCall,
  replacePin as replacePinCall,
} from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import { requireCid } from '../content/parse-cid.ts'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { describeGatewayOnce, listPeerAddresses } from '../names/names.ts'
import { listPins } from './list-pins.ts'
import { readOrigin } from './pin-sources.ts'
import { namePinned, requirePinnable } from './pins.ts'
import { readTexts, runStoredPin } from './run-pin.ts'
import { deletePin, insertPin, type PinRow, requirePin } from './store.ts'

/** Binds the Pinning Service API. @see https://ipfs.github.io/pinning-services-api-spec/ */
export function registerPinningRoutes(app: FastifyInstance, context: Context, profile: () => NetworkProfile): void {
  const describeGateway = describeGatewayOnce(context.secret, () => profile().gateway)
  const listDelegates = async () => listPeerAddresses(await describeGateway())

  const create = async (
    address: string,
    requested: RequestedPin,
    replacedId: string | undefined,
    signal: AbortSignal,
  ): Promise<PinStatus> => {
    const cid = requireCid(requested.cid)
    requirePinnable(cid)
    namePinned(cid, requested.name)
    const owner = (await context.packs.has(cid)) ? randomUUID() : undefined
    const pin = await insertPin(context, address, requested, cid, { replacedId, owner })
    if (owner !== undefined) await runStoredPin(context, pin, signal)
    return toPinStatus(await requirePin(context.db.read, address, pin.id), await listDelegates())
  }

  route(app, context, listPinsCall, async ({ input: { query }, caller, signal }) => {
    const { count, rows } = await listPins(context, caller.address, query, signal)
    const delegates = await listDelegates()
    return { count, results: rows.map((row) => toPinStatus(row, delegates)) }
  })
  route(app, context, createPinCall, ({ input: { body }, caller, signal }) =>
    create(caller.address, body, undefined, signal),
  )
  route(app, context, getPinCall, async ({ input: { params }, caller }) =>
    toPinStatus(await requirePin(context.db.read, caller.address, params.requestid), await listDelegates()),
  )
  route(app, context, replacePinCall, ({ input: { params, body }, caller, signal }) =>
    create(caller.address, body, params.requestid, signal),
  )
  route(app, context, removePinCall, async ({ input: { params }, caller, reply }) => {
    await deletePin(context, caller.address, params.requestid)
    return reply.status(202).send()
  })
}

function toPinStatus(row: PinRow, delegates: string[]): PinStatus {
  const origins = readTexts(row.origins)
  const meta = readMeta(row.meta)
  return {
    requestid: row.id,
    status: row.status,
    created: new Date(row.created_at).toISOString(),
    pin: {
      cid: row.cid,
      ...(row.name === null ? {} : { name: row.name }),
      ...(origins.length === 0 ? {} : { origins }),
      ...(Object.keys(meta).length === 0 ? {} : { meta }),
    },
    delegates,
    info: describe(row, origins),
  }
}

function describe(row: PinRow, origins: readonly string[]): Record<string, string> {
  const skipped = origins.filter((origin) => readOrigin(origin) === undefined).length
  const note =
    row.details ??
    (row.status !== 'pinned' && skipped > 0 ? `Skipped ${skipped} origins that are not HTTP gateways.` : '')
  return {
    ...(note === '' ? {} : { status_details: note }),
    ...(row.dag_size_bytes === undefined ? {} : { dag_size: String(row.dag_size_bytes) }),
    ...(row.size_bytes === undefined ? {} : { raw_size: String(row.size_bytes) }),
  }
}

/** Parses a JSON object of strings that this service wrote. */
function readMeta(json: string): Record<string, string> {
  const object: unknown = JSON.parse(json)
  const entries = typeof object === 'object' && object !== null ? Object.entries(object) : []
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
