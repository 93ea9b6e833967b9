import * as v from 'valibot'
import { authErrors, makeCall } from '../call.ts'
import {
  callTimeoutMs,
  maxJsonBodyBytes,
  maxNameLabelCharacters,
  maxNameLifetimeMs,
  maxNameRecordBytes,
  maxNameRows,
  maxNameTtlMs,
  maxNameValueCharacters,
  minNameLifetimeMs,
  namePublishesPerMinute,
} from '../limits.ts'
import { anyNameSchema } from '../schemas/ipns-name.ts'
import { labelText } from '../schemas/label-text.ts'

const limits = { timeoutMs: callTimeoutMs }
const publishLimits = { bodyBytes: maxJsonBodyBytes, timeoutMs: callTimeoutMs, perMinute: namePublishesPerMinute }

/** A sequence number: unsigned 64 bits, so it is decimal text. */
const sequence = v.pipe(v.string(), v.regex(/^\d{1,20}$/))
/** A signed record in base64: at most 10 KiB of bytes. */
const record = v.pipe(v.string(), v.maxLength(Math.ceil(maxNameRecordBytes / 3) * 4), v.regex(/^[A-Za-z0-9+/]+={0,2}$/))
const params = v.object({ name: anyNameSchema })
const label = v.pipe(labelText(maxNameLabelCharacters), v.nonEmpty())
const limit = v.optional(
  v.pipe(v.string(), v.regex(/^\d{1,3}$/), v.transform(Number), v.minValue(1), v.maxValue(maxNameRows)),
)

/** One name of an account, and its target. */
const nameState = v.object({
  /** Identifies the name within the account; the `keyName` of published clients. */
  id: v.string(),
  label: v.nullable(v.string()),
  /** The name itself in canonical form (k51…). */
  name: v.string(),
  /** `/ipfs/{cid}` or `/ipns/{name}`, with a path if one was published; null for an unpublished name. */
  value: v.nullable(v.string()),
  /** The CID that the value starts with; null if it starts with a name. */
  cid: v.nullable(v.string()),
  sequence: v.nullable(sequence),
  /** Expiry of the record in ms since 1970; the service renews it earlier if it stores the key. */
  validUntil: v.nullable(v.number()),
  ttlMs: v.nullable(v.number()),
  keyHeld: v.picklist(['service', 'owner']),
  createdAt: v.number(),
  updatedAt: v.number(),
})
/** One name of an account, and its target. */
export type NameState = v.InferOutput<typeof nameState>

/** `GET /api/names`: lists the names of the account, newest first. */
export const listNames = /* @__PURE__ */ makeCall(() => ({
  id: 'listNames',
  method: 'GET',
  path: '/api/names',
  host: 'api',
  tag: 'Names',
  summary: 'List names',
  description: 'Set `after` to the id of the last row of the previous page.',
  auth: 'apiKey',
  scope: 'files:read',
  query: v.object({ after: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/))), limit }),
  response: { kind: 'json', schema: v.object({ names: v.array(nameState) }) },
  errors: [...authErrors],
  dialect: 'api',
  limits,
  idempotent: true,
}))

/** `POST /api/names`: creates a name with a key that the service generates and stores encrypted. */
export const createName = /* @__PURE__ */ makeCall(() => ({
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
}))

/** `GET /api/names/{name}`: returns one name of the account. */
export const getName = /* @__PURE__ */ makeCall(() => ({
  id: 'getName',
  method: 'GET',
  path: '/api/names/{name}',
  host: 'api',
  tag: 'Names',
  summary: 'Get a name of the account',
  auth: 'apiKey',
  scope: 'files:read',
  params,
  response: { kind: 'json', schema: nameState },
  errors: [...authErrors, 'INVALID_NAME', 'NAME_NOT_FOUND'],
  dialect: 'api',
  limits,
  idempotent: true,
}))

/** `PATCH /api/names/{name}`: sets the label of a name of the account. */
export const labelName = /* @__PURE__ */ makeCall(() => ({
  id: 'labelName',
  method: 'PATCH',
  path: '/api/names/{name}',
  host: 'api',
  tag: 'Names',
  summary: 'Label a name',
  description: 'Labels appear only in lists and are not part of the name. null removes the label.',
  auth: 'apiKey',
  scope: 'files:write',
  params,
  body: { kind: 'json', schema: v.object({ label: v.nullable(label) }) },
  response: { kind: 'json', schema: nameState },
  errors: [...authErrors, 'INVALID_LABEL', 'INVALID_NAME', 'NAME_NOT_FOUND', 'CONFLICT'],
  dialect: 'api',
  limits: { ...limits, bodyBytes: maxJsonBodyBytes },
  idempotent: true,
}))

/** `DELETE /api/names/{name}`: removes a name from the account; a key that the service stores is destroyed. */
export const removeName = /* @__PURE__ */ makeCall(() => ({
  id: 'removeName',
  method: 'DELETE',
  path: '/api/names/{name}',
  host: 'api',
  tag: 'Names',
  summary: 'Remove a name',
  description:
    'Destroys the key if the service stores it, so export it first. Published records stay valid until they expire. If the owner keeps the key, only the entry is removed.',
  auth: 'apiKey',
  scope: 'files:write',
  params,
  response: { kind: 'json', schema: v.object({ message: v.string() }) },
  errors: [...authErrors, 'INVALID_NAME', 'NAME_NOT_FOUND', 'CONFLICT'],
  dialect: 'api',
  limits,
  idempotent: false,
}))

const signedState = v.object({
  name: v.string(),
  value: v.string(),
  sequence,
  validUntil: v.number(),
  ttlMs: v.number(),
  /** The signed record in base64: with the name, it proves all other fields. */
  record,
})
/** The target of a name, with the signed record that proves it. */
export type SignedName = v.InferOutput<typeof signedState>

/** `POST /api/names/{name}/records`: signs and publishes a record with the key that the service stores. */
export const publishName = /* @__PURE__ */ makeCall(() => ({
  id: 'publishName',
  method: 'POST',
  path: '/api/names/{name}/records',
  host: 'api',
  tag: 'Names',
  summary: 'Publish a name',
  description:
    'The service renews the record with the same lifetime before it expires, until another value is published.',
  auth: 'apiKey',
  scope: 'files:write',
  params,
  body: {
    kind: 'json',
    schema: v.object({
      /** A CID, `/ipfs/{cid}` or `/ipns/{name}`, the latter two with an optional path. */
      value: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(maxNameValueCharacters)),
      /** Lifetime of the record in ms. Defaults to 48 hours. */
      lifetimeMs: v.optional(
        v.pipe(v.number(), v.safeInteger(), v.minValue(minNameLifetimeMs), v.maxValue(maxNameLifetimeMs)),
      ),
      /**
       * Time in ms that readers may cache the answer. Defaults to five minutes, and never exceeds the lifetime of the
       * record.
       */
      ttlMs: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(maxNameTtlMs))),
      /** Must exceed every sequence ever seen for this name. Chosen automatically by default. */
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
}))

/** `GET /api/names/{name}/records`: lists the past targets of a name of the account, newest first. */
export const listNameRecords = /* @__PURE__ */ makeCall(() => ({
  id: 'listNameRecords',
  method: 'GET',
  path: '/api/names/{name}/records',
  host: 'api',
  tag: 'Names',
  summary: 'List the history of a name',
  description:
    'Set `before` to the sequence number of the last row of the previous page. Renewals of a record are one row. The oldest rows are removed.',
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
}))

/**
 * `PUT /api/names/{name}/record`: stores a record that the owner of the name signed, and adds the name to the account.
 */
export const registerName = /* @__PURE__ */ makeCall(() => ({
  id: 'registerName',
  method: 'PUT',
  path: '/api/names/{name}/record',
  host: 'api',
  tag: 'Names',
  summary: 'Publish a record signed elsewhere',
  description:
    'For names whose key stays with the owner. The first record also adds the name to the list of the account. The list does not prove ownership, the signature of the record does. Sending the same record again succeeds.',
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
}))

/** `GET /api/names/{name}/record`: returns the target of any name, with the record that proves it. */
export const resolveName = /* @__PURE__ */ makeCall(() => ({
  id: 'resolveName',
  method: 'GET',
  path: '/api/names/{name}/record',
  host: 'api',
  tag: 'Names',
  summary: 'Resolve a name',
  description: 'Resolves one step and does not follow a value that is itself a name. Verify the record with the name.',
  auth: 'none',
  params,
  response: { kind: 'json', schema: signedState },
  errors: ['INVALID_NAME', 'NAME_NOT_FOUND', 'NAME_EXPIRED'],
  dialect: 'api',
  limits: { ...limits, perMinute: 600 },
  idempotent: true,
}))

/** `POST /api/names/{name}/key`: exports the key of a name to its owner. */
export const exportName = /* @__PURE__ */ makeCall(() => ({
  id: 'exportName',
  method: 'POST',
  path: '/api/names/{name}/key',
  host: 'api',
  tag: 'Names',
  summary: 'Export a name key',
  description:
    'Requires an API key with all scopes. `libp2p` is the file format of `ipfs key import` in base64, `pem` is PKCS#8. Anyone with the key can publish the name permanently.',
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
  limits: { ...limits, bodyBytes: maxJsonBodyBytes, perMinute: 30 },
  idempotent: true,
}))
