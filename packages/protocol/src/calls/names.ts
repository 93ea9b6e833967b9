import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { anyNameSchema } from '../ipns-name.ts'
import { labelText } from '../label-text.ts'
import {
  callTimeoutMs,
  jsonBodyBytesMost,
  nameLabelCharactersMost,
  nameLifetimeMsLeast,
  nameLifetimeMsMost,
  namePublishesPerMinute,
  nameRecordBytesMost,
  nameRowsMost,
  nameTtlMsMost,
  nameValueCharactersMost,
} from '../limits.ts'

const limits = { timeoutMs: callTimeoutMs }
const publishLimits = { bodyBytes: jsonBodyBytesMost, timeoutMs: callTimeoutMs, perMinute: namePublishesPerMinute }

/** A sequence number: 64 bits without sign, so as decimal text. */
const sequence = v.pipe(v.string(), v.regex(/^\d{1,20}$/))
/** A record as it is signed, in base64: at most 10 KiB of bytes. */
const record = v.pipe(
  v.string(),
  v.maxLength(Math.ceil(nameRecordBytesMost / 3) * 4),
  v.regex(/^[A-Za-z0-9+/]+={0,2}$/),
)
const params = v.object({ name: anyNameSchema })
const label = v.pipe(labelText(nameLabelCharactersMost), v.nonEmpty())
const limit = v.optional(
  v.pipe(v.string(), v.regex(/^\d{1,3}$/), v.transform(Number), v.minValue(1), v.maxValue(nameRowsMost)),
)

/** One name of an account, and what it points to. */
const nameState = v.object({
  /** Names it within the account; the `keyName` of published clients. */
  id: v.string(),
  label: v.nullable(v.string()),
  /** The name itself in its canonical form (k51…). */
  name: v.string(),
  /** `/ipfs/{cid}` or `/ipns/{name}`, with a path where one was published; null where nothing was. */
  value: v.nullable(v.string()),
  /** The CID that the value begins with; null for one that begins with a name. */
  cid: v.nullable(v.string()),
  sequence: v.nullable(sequence),
  /** When the record ends, ms since 1970; the service renews it before that where it holds the key. */
  validUntil: v.nullable(v.number()),
  ttlMs: v.nullable(v.number()),
  keyHeld: v.picklist(['service', 'owner']),
  createdAt: v.number(),
  updatedAt: v.number(),
})
/** One name of an account, and what it points to. */
export type NameState = v.InferOutput<typeof nameState>

/** `GET /api/names`: the account's names, newest first. */
export const listNames = defineCall({
  id: 'listNames',
  method: 'GET',
  path: '/api/names',
  host: 'api',
  tag: 'Names',
  summary: 'List names',
  description: '`after` is the id of the last row seen.',
  auth: 'apiKey',
  scope: 'files:read',
  query: v.object({ after: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/))), limit }),
  response: { kind: 'json', schema: v.object({ names: v.array(nameState) }) },
  errors: [...authErrors],
  dialect: 'api',
  limits,
  idempotent: true,
})

/** `POST /api/names`: a new name whose key the service makes and keeps sealed. */
export const createName = defineCall({
  id: 'createName',
  method: 'POST',
  path: '/api/names',
  host: 'api',
  tag: 'Names',
  summary: 'Create a name',
  auth: 'apiKey',
  scope: 'files:write',
  body: { kind: 'json', schema: v.object({ label: v.nullable(label) }) },
  response: { kind: 'json', schema: nameState },
  errors: [...authErrors, 'INVALID_LABEL', 'NAME_LIMIT', 'INVALID_CONFIGURATION', 'CONFLICT'],
  dialect: 'api',
  limits: publishLimits,
  idempotent: false,
})

/** `GET /api/names/{name}`: one name of the account. */
export const getName = defineCall({
  id: 'getName',
  method: 'GET',
  path: '/api/names/{name}',
  host: 'api',
  tag: 'Names',
  summary: 'One name of the account',
  auth: 'apiKey',
  scope: 'files:read',
  params,
  response: { kind: 'json', schema: nameState },
  errors: [...authErrors, 'INVALID_NAME', 'NAME_NOT_FOUND'],
  dialect: 'api',
  limits,
  idempotent: true,
})

/** `PATCH /api/names/{name}`: gives a name of the account another label. */
export const labelName = defineCall({
  id: 'labelName',
  method: 'PATCH',
  path: '/api/names/{name}',
  host: 'api',
  tag: 'Names',
  summary: 'Label a name',
  description: 'Labels are for lists: they are no part of the name, and null takes one away.',
  auth: 'apiKey',
  scope: 'files:write',
  params,
  body: { kind: 'json', schema: v.object({ label: v.nullable(label) }) },
  response: { kind: 'json', schema: nameState },
  errors: [...authErrors, 'INVALID_LABEL', 'INVALID_NAME', 'NAME_NOT_FOUND', 'CONFLICT'],
  dialect: 'api',
  limits: { ...limits, bodyBytes: jsonBodyBytesMost },
  idempotent: true,
})

/** `DELETE /api/names/{name}`: takes a name off the account; a key that the service holds is destroyed. */
export const removeName = defineCall({
  id: 'removeName',
  method: 'DELETE',
  path: '/api/names/{name}',
  host: 'api',
  tag: 'Names',
  summary: 'Remove a name',
  description:
    'A key that the service holds is destroyed: export it before. Records that are out stay valid until they end. A name whose key its owner holds is only forgotten.',
  auth: 'apiKey',
  scope: 'files:write',
  params,
  response: { kind: 'json', schema: v.object({ message: v.string() }) },
  errors: [...authErrors, 'INVALID_NAME', 'NAME_NOT_FOUND', 'CONFLICT'],
  dialect: 'api',
  limits,
  idempotent: false,
})

const signedState = v.object({
  name: v.string(),
  value: v.string(),
  sequence,
  validUntil: v.number(),
  ttlMs: v.number(),
  /** The signed record in base64: whoever has it can check all the rest by the name alone. */
  record,
})
/** What a name points to, with the signed record that says so. */
export type SignedName = v.InferOutput<typeof signedState>

/** `POST /api/names/{name}/records`: signs and publishes a record by the key that the service holds. */
export const publishName = defineCall({
  id: 'publishName',
  method: 'POST',
  path: '/api/names/{name}/records',
  host: 'api',
  tag: 'Names',
  summary: 'Publish a name',
  description:
    'The service renews the record with the same lifetime before it ends, until something else is published.',
  auth: 'apiKey',
  scope: 'files:write',
  params,
  body: {
    kind: 'json',
    schema: v.object({
      /** A CID, `/ipfs/{cid}` or `/ipns/{name}`, the latter two with a path where wanted. */
      value: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(nameValueCharactersMost)),
      /** How long one record is good for; 48 hours where absent. */
      lifetimeMs: v.optional(
        v.pipe(v.number(), v.safeInteger(), v.minValue(nameLifetimeMsLeast), v.maxValue(nameLifetimeMsMost)),
      ),
      /** How long readers may keep the answer; five minutes where absent, and never longer than the record is good for. */
      ttlMs: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(nameTtlMsMost))),
      /** Must be above every one that was ever seen for this name; chosen so where absent. */
      sequence: v.optional(sequence),
    }),
  },
  response: { kind: 'json', schema: signedState },
  errors: [
    ...authErrors,
    'INVALID_NAME',
    'INVALID_CID',
    'INVALID_NAME_VALUE',
    'NAME_NOT_FOUND',
    'NAME_KEY_WITH_OWNER',
    'IPNS_RECORD_OUTDATED',
    'DATA_DAMAGED',
    'INVALID_CONFIGURATION',
    'CONFLICT',
  ],
  dialect: 'api',
  limits: publishLimits,
  idempotent: false,
})

/** `GET /api/names/{name}/records`: what a name of the account pointed to, newest first. */
export const listNameRecords = defineCall({
  id: 'listNameRecords',
  method: 'GET',
  path: '/api/names/{name}/records',
  host: 'api',
  tag: 'Names',
  summary: 'History of a name',
  description: '`before` is the sequence of the last row seen. Renewals of one record are one row. The oldest rows go.',
  auth: 'apiKey',
  scope: 'files:read',
  params,
  query: v.object({ before: v.optional(sequence), limit }),
  response: {
    kind: 'json',
    schema: v.object({
      records: v.array(
        v.object({ sequence, value: v.string(), publishedAt: v.number(), validUntil: v.number(), record }),
      ),
    }),
  },
  errors: [...authErrors, 'INVALID_NAME', 'NAME_NOT_FOUND'],
  dialect: 'api',
  limits,
  idempotent: true,
})

/** `PUT /api/names/{name}/record`: keeps a record that the name's owner signed, and lists the name in the account. */
export const registerName = defineCall({
  id: 'registerName',
  method: 'PUT',
  path: '/api/names/{name}/record',
  host: 'api',
  tag: 'Names',
  summary: 'Publish a record signed elsewhere',
  description:
    'For names whose key stays with its owner. The first record also puts the name on the account’s list, which proves nothing about whose name it is: the signature of the record does. Sending the same record again is no error.',
  auth: 'apiKey',
  scope: 'files:write',
  params,
  body: { kind: 'json', schema: v.object({ record, label: v.optional(label) }) },
  response: { kind: 'json', schema: nameState },
  errors: [
    ...authErrors,
    'INVALID_NAME',
    'INVALID_LABEL',
    'INVALID_IPNS_RECORD',
    'IPNS_RECORD_EXPIRED',
    'IPNS_RECORD_OUTDATED',
    'NAME_LIMIT',
    'CONFLICT',
  ],
  dialect: 'api',
  limits: publishLimits,
  idempotent: true,
})

/** `GET /api/names/{name}/record`: what any name points to, with the record that proves it. */
export const resolveName = defineCall({
  id: 'resolveName',
  method: 'GET',
  path: '/api/names/{name}/record',
  host: 'api',
  tag: 'Names',
  summary: 'Resolve a name',
  description: 'One step: a value that is a name itself is not followed. Check the record by the name.',
  auth: 'none',
  params,
  response: { kind: 'json', schema: signedState },
  errors: ['INVALID_NAME', 'NAME_NOT_FOUND', 'NAME_EXPIRED'],
  dialect: 'api',
  limits: { ...limits, perMinute: 600 },
  idempotent: true,
})

/** `POST /api/names/{name}/key`: hands the key of a name to its owner. */
export const exportName = defineCall({
  id: 'exportName',
  method: 'POST',
  path: '/api/names/{name}/key',
  host: 'api',
  tag: 'Names',
  summary: 'Export the key of a name',
  description:
    'Needs an API key with every scope. `libp2p` is the base64 of the bytes that `ipfs key import` reads from a file, `pem` is PKCS#8. Whoever has it can publish the name for ever.',
  auth: 'apiKey',
  scope: 'account',
  params,
  body: { kind: 'json', schema: v.object({ format: v.optional(v.picklist(['libp2p', 'pem'])) }) },
  response: {
    kind: 'json',
    schema: v.object({ name: v.string(), format: v.picklist(['libp2p', 'pem']), key: v.string() }),
  },
  errors: [
    ...authErrors,
    'INVALID_NAME',
    'NAME_NOT_FOUND',
    'NAME_KEY_WITH_OWNER',
    'DATA_DAMAGED',
    'INVALID_CONFIGURATION',
  ],
  dialect: 'api',
  limits: { ...limits, bodyBytes: jsonBodyBytesMost, perMinute: 30 },
  idempotent: true,
})
