import * as v from 'valibot'
import { makeCall } from '../call.ts'
import { callTimeoutMs, maxNameRecordBytes } from '../limits.ts'
import { anyNameSchema } from '../schemas/ipns-name.ts'

const limits = { timeoutMs: callTimeoutMs }
const params = v.object({ name: anyNameSchema })

const ipnsRecordType = 'application/vnd.ipfs.ipns-record'

/** `GET /routing/v1/ipns/{name}`: returns the newest record of any known name. */
export const getRoutedName = /* @__PURE__ */ makeCall(() => ({
  id: 'getRoutedName',
  method: 'GET',
  path: '/routing/v1/ipns/{name}',
  host: 'api',
  tag: 'Routing',
  summary: 'Find a record (delegated routing)',
  description: `Returns ${ipnsRecordType}. If no record is found, returns status 200 with text/plain (IPIP-0513).`,
  auth: 'none',
  params,
  response: { kind: 'bytes', mediaTypes: [ipnsRecordType, 'text/plain'] },
  errors: ['INVALID_NAME', 'NOT_ACCEPTABLE'],
  dialect: 'api',
  limits: { ...limits, perMinute: 1200 },
  idempotent: true,
}))

/** `PUT /routing/v1/ipns/{name}`: offers a newer record of any name. */
export const putRoutedName = /* @__PURE__ */ makeCall(() => ({
  id: 'putRoutedName',
  method: 'PUT',
  path: '/routing/v1/ipns/{name}',
  host: 'api',
  tag: 'Routing',
  summary: 'Offer a record (delegated routing)',
  description:
    'Records of names without an account are kept for 48 hours, up to a limit. Other records are stored as if the account had sent them.',
  auth: 'none',
  params,
  body: { kind: 'bytes', mediaType: ipnsRecordType, description: 'A signed record of at most 10 KiB.' },
  response: { kind: 'text', mediaType: 'text/plain; charset=utf-8' },
  errors: [
    'INVALID_NAME',
    'NOT_ACCEPTABLE',
    'INVALID_IPNS_RECORD',
    'IPNS_RECORD_EXPIRED',
    'IPNS_RECORD_OUTDATED',
    'STORAGE_FULL',
    'CONFLICT',
  ],
  dialect: 'api',
  limits: { bodyBytes: maxNameRecordBytes, timeoutMs: callTimeoutMs, perMinute: 30 },
  idempotent: true,
}))

const filters = {
  /** Protocols of the requested addresses; `!` excludes one (IPIP-0484). */
  'filter-addrs': v.optional(v.pipe(v.string(), v.maxLength(512))),
  'filter-protocols': v.optional(v.pipe(v.string(), v.maxLength(512))),
}

/** `GET /routing/v1/providers/{cid}`: returns the providers of a CID: our own gateway, or none. */
export const getRoutedProviders = /* @__PURE__ */ makeCall(() => ({
  id: 'getRoutedProviders',
  method: 'GET',
  path: '/routing/v1/providers/{cid}',
  host: 'api',
  tag: 'Routing',
  summary: 'Find providers (delegated routing)',
  description:
    'Returns this gateway, as `transport-ipfs-gateway-http`, for a CID whose block is stored on this service and not denied. The response is JSON, or NDJSON if requested with Accept.',
  auth: 'none',
  params: v.object({ cid: v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/=_-]{8,300}$/, 'Invalid CID')) }),
  query: v.looseObject(filters),
  response: { kind: 'bytes', mediaTypes: ['application/json', 'application/x-ndjson'] },
  errors: ['INVALID_CID'],
  dialect: 'api',
  limits: { ...limits, perMinute: 1200 },
  idempotent: true,
}))

/** `GET /routing/v1/peers/{peer}`: returns the addresses of a peer; only our own gateway is known. */
export const getRoutedPeers = /* @__PURE__ */ makeCall(() => ({
  id: 'getRoutedPeers',
  method: 'GET',
  path: '/routing/v1/peers/{name}',
  host: 'api',
  tag: 'Routing',
  summary: 'Find a peer (delegated routing)',
  auth: 'none',
  params,
  query: v.looseObject(filters),
  response: { kind: 'bytes', mediaTypes: ['application/json', 'application/x-ndjson'] },
  errors: ['INVALID_NAME'],
  dialect: 'api',
  limits: { ...limits, perMinute: 1200 },
  idempotent: true,
}))
