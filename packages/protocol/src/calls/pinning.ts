import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs, maxJsonBodyBytes } from '../limits.ts'
import { anyCidSchema } from '../schemas/cid.ts'
import { labelText } from '../schemas/label-text.ts'

/** Maximum and default number of pins per page. */
const maxPinRows = 1000
const defaultPinRows = 10
const maxPinNameCharacters = 255
const maxOrigins = 20
const maxMetaEntries = 1000
const maxCidFilters = 10

/** States of a pin, in order. */
export const pinStatuses = ['queued', 'pinning', 'pinned', 'failed'] as const
export type PinStatusName = (typeof pinStatuses)[number]

const meta = v.pipe(v.record(v.string(), v.string()), v.maxEntries(maxMetaEntries))
const requestedPin = v.object({
  cid: anyCidSchema,
  name: v.optional(labelText(maxPinNameCharacters)),
  /** Multiaddrs of servers that have the content. Only HTTP gateways are used. */
  origins: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(1024))), v.maxLength(maxOrigins))),
  meta: v.optional(meta),
})
/** Body of a pin request. */
export type RequestedPin = v.InferOutput<typeof requestedPin>

const pinStatus = v.object({
  requestid: v.string(),
  status: v.picklist(pinStatuses),
  /** Time of the request in RFC 3339, unique per account. */
  created: v.string(),
  pin: v.object({
    cid: v.string(),
    name: v.optional(v.string()),
    origins: v.optional(v.array(v.string())),
    meta: v.optional(v.record(v.string(), v.string())),
  }),
  /** The gateway of the service as a peer. It supports only HTTP. */
  delegates: v.array(v.string()),
  /** `status_details`, and `dag_size` and `raw_size` in bytes once the content is stored. */
  info: v.record(v.string(), v.string()),
})
/** A pin and its state. */
export type PinStatus = v.InferOutput<typeof pinStatus>

const params = v.object({ requestid: v.pipe(v.string(), v.uuid()) })
const time = v.pipe(
  v.string(),
  v.maxLength(64),
  v.regex(/^\d{4}-\d\d-\d\d[Tt ]/),
  v.check((text) => !Number.isNaN(Date.parse(text)), 'Invalid time. Use the format 2026-01-31T12:00:00Z'),
  v.transform((text) => Date.parse(text)),
)

/** A list in the formats of the specification's releases: repeated parameters, or one parameter with commas. */
function listOf<const Item extends v.GenericSchema<string, string>>(item: Item, maxItems: number) {
  return v.optional(
    v.pipe(
      v.union([v.string(), v.array(v.string())]),
      v.transform((texts) => [texts].flat().flatMap((text) => text.split(','))),
      v.array(item),
      v.maxLength(maxItems),
    ),
  )
}

const metaFilter = v.pipe(v.string(), v.maxLength(8192), v.parseJson(), meta)

const common = {
  host: 'api',
  tag: 'Pinning Service API',
  auth: 'apiKey',
  dialect: 'pinning',
} as const
const writeErrors = [
  ...authErrors,
  'INVALID_CID',
  'UNSUPPORTED_CODEC',
  'INVALID_LABEL',
  'INVALID_PATH',
  'PIN_LIMIT',
  'CONFLICT',
] as const
const writeLimits = { bodyBytes: maxJsonBodyBytes, perMinute: 600 } as const

/** `GET /pins`: the account's pins, newest first. */
export const listPins = defineCall({
  ...common,
  id: 'listPins',
  method: 'GET',
  path: '/pins',
  summary: 'List pins',
  description:
    'Lists pins, newest first. Without `cid`, `name`, `status` or `meta`, lists only pins with the status `pinned`. To get the next page, set `before` to the time of the last row.',
  scope: 'files:read',
  query: v.object({
    cid: listOf(anyCidSchema, maxCidFilters),
    name: v.optional(v.pipe(v.string(), v.maxLength(maxPinNameCharacters))),
    match: v.optional(v.picklist(['exact', 'iexact', 'partial', 'ipartial']), 'exact'),
    status: listOf(v.picklist(pinStatuses), pinStatuses.length),
    before: v.optional(time),
    after: v.optional(time),
    limit: v.optional(
      v.pipe(v.string(), v.regex(/^\d{1,4}$/), v.transform(Number), v.minValue(1), v.maxValue(maxPinRows)),
      String(defaultPinRows),
    ),
    /** A JSON object. Only pins with all its entries match. */
    meta: v.optional(metaFilter),
  }),
  response: { kind: 'json', schema: v.object({ count: v.number(), results: v.array(pinStatus) }) },
  errors: [...authErrors, 'INVALID_CID'],
  limits: { timeoutMs: callTimeoutMs, perMinute: 600 },
  idempotent: true,
})

/** `POST /pins`: stores a CID for the account. */
export const createPin = defineCall({
  ...common,
  id: 'createPin',
  method: 'POST',
  path: '/pins',
  summary: 'Pin a CID in the background',
  description:
    'If the service already stores the content, the response has the status `pinned`. Otherwise the service fetches it from the origins, then from the gateways of its operator, and verifies every block.',
  scope: 'files:write',
  body: { kind: 'json', schema: requestedPin },
  response: { kind: 'json', schema: pinStatus },
  status: 202,
  errors: writeErrors,
  limits: writeLimits,
  idempotent: false,
})

/** `GET /pins/{requestid}`: one pin. */
export const getPin = defineCall({
  ...common,
  id: 'getPin',
  method: 'GET',
  path: '/pins/{requestid}',
  summary: 'Get a pin',
  scope: 'files:read',
  params,
  response: { kind: 'json', schema: pinStatus },
  errors: [...authErrors, 'PIN_NOT_FOUND'],
  limits: { timeoutMs: callTimeoutMs, perMinute: 6000 },
  idempotent: true,
})

/** `POST /pins/{requestid}`: replaces a pin. */
export const replacePin = defineCall({
  ...common,
  id: 'replacePin',
  method: 'POST',
  path: '/pins/{requestid}',
  summary: 'Replace a pin',
  description:
    'Removes the old pin immediately. Its content stays until the new one is pinned, so common blocks are not fetched again.',
  scope: 'files:write',
  params,
  body: { kind: 'json', schema: requestedPin },
  response: { kind: 'json', schema: pinStatus },
  status: 202,
  errors: [...writeErrors, 'PIN_NOT_FOUND'],
  limits: writeLimits,
  idempotent: false,
})

/** `DELETE /pins/{requestid}`: removes a pin and its upload. */
export const removePin = defineCall({
  ...common,
  id: 'removePin',
  method: 'DELETE',
  path: '/pins/{requestid}',
  summary: 'Remove a pin',
  scope: 'files:write',
  params,
  response: { kind: 'none' },
  status: 202,
  errors: [...authErrors, 'PIN_NOT_FOUND', 'CONFLICT'],
  limits: { timeoutMs: callTimeoutMs, perMinute: 600 },
  idempotent: true,
})
