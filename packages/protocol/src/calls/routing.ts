import * as v from 'valibot'
import { defineCall } from '../call.ts'
import { anyNameSchema } from '../ipns-name.ts'
import { callTimeoutMs, nameRecordBytesMost } from '../limits.ts'

const limits = { timeoutMs: callTimeoutMs }
const params = v.object({ name: anyNameSchema })

const ipnsRecordType = 'application/vnd.ipfs.ipns-record'

/** `GET /routing/v1/ipns/{name}`: the newest record of any name known here. */
export const getRoutedName = defineCall({
  id: 'getRoutedName',
  method: 'GET',
  path: '/routing/v1/ipns/{name}',
  host: 'api',
  tag: 'Routing',
  summary: 'Find a record (delegated routing)',
  description: `Answers ${ipnsRecordType}. Nothing found is status 200 with text/plain, as IPIP-0513 asks.`,
  auth: 'none',
  params,
  response: { kind: 'bytes', description: ipnsRecordType },
  errors: ['INVALID_NAME', 'NOT_ACCEPTABLE'],
  dialect: 'api',
  limits: { ...limits, perMinute: 1200 },
  idempotent: true,
})

/** `PUT /routing/v1/ipns/{name}`: offers a newer record of any name. */
export const putRoutedName = defineCall({
  id: 'putRoutedName',
  method: 'PUT',
  path: '/routing/v1/ipns/{name}',
  host: 'api',
  tag: 'Routing',
  summary: 'Offer a record (delegated routing)',
  description:
    'Records of names that no account has are kept until they end, as far as there is room for such; others are kept as if their account had sent them.',
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
  limits: { bodyBytes: nameRecordBytesMost, timeoutMs: callTimeoutMs, perMinute: 30 },
  idempotent: true,
})

const filters = {
  /** Protocols of addresses wanted, `!` before those that are not (IPIP-0484). */
  'filter-addrs': v.optional(v.pipe(v.string(), v.maxLength(512))),
  'filter-protocols': v.optional(v.pipe(v.string(), v.maxLength(512))),
}

/** `GET /routing/v1/providers/{cid}`: who has a CID; here, that is our own gateway or nobody. */
export const getRoutedProviders = defineCall({
  id: 'getRoutedProviders',
  method: 'GET',
  path: '/routing/v1/providers/{cid}',
  host: 'api',
  tag: 'Routing',
  summary: 'Find providers (delegated routing)',
  description:
    'Names our gateway, as `transport-ipfs-gateway-http`, for a CID whose block is stored here. JSON, or NDJSON where Accept asks for it.',
  auth: 'none',
  params: v.object({ cid: v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/=_-]{8,300}$/, 'Invalid CID')) }),
  query: v.looseObject(filters),
  response: { kind: 'bytes', description: 'application/json or application/x-ndjson' },
  errors: ['INVALID_CID'],
  dialect: 'api',
  limits: { ...limits, perMinute: 1200 },
  idempotent: true,
})

/** `GET /routing/v1/peers/{peer}`: where a peer is; we know of our own gateway only. */
export const getRoutedPeers = defineCall({
  id: 'getRoutedPeers',
  method: 'GET',
  path: '/routing/v1/peers/{name}',
  host: 'api',
  tag: 'Routing',
  summary: 'Find a peer (delegated routing)',
  auth: 'none',
  params,
  query: v.looseObject(filters),
  response: { kind: 'bytes', description: 'application/json or application/x-ndjson' },
  errors: ['INVALID_NAME'],
  dialect: 'api',
  limits: { ...limits, perMinute: 1200 },
  idempotent: true,
})
