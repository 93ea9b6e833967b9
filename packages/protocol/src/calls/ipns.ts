import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs, namePublishesPerMinute } from '../limits.ts'
import { cidSchema } from '../schemas/cid.ts'

const limits = { timeoutMs: callTimeoutMs }
/** Identifies a name key of the account for published clients: its id, 32 hex characters. */
const keyName = v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(128))

/** `GET /api/ipns/generate_key`: creates a name, in the format of published clients. */
export const generateIpnsKey = defineCall({
  id: 'generateIpnsKey',
  method: 'GET',
  path: '/api/ipns/generate_key',
  host: 'api',
  tag: 'Names',
  summary: 'Create a name (published clients)',
  description:
    'The service creates an Ed25519 key and stores it encrypted. `ipnsName` identifies the key in the other calls.',
  auth: 'apiKey',
  scope: 'files:write',
  response: { kind: 'json', schema: v.object({ ipnsName: v.string(), ipnsId: v.string() }) },
  errors: [...authErrors, 'NAME_LIMIT', 'INVALID_CONFIGURATION', 'CONFLICT'],
  dialect: 'ipns',
  limits: { ...limits, perMinute: namePublishesPerMinute },
  idempotent: false,
})

/** `GET /api/ipns/publish_record`: points a name to a CID, in the format of published clients. */
export const publishIpnsRecord = defineCall({
  id: 'publishIpnsRecord',
  method: 'GET',
  path: '/api/ipns/publish_record',
  host: 'api',
  tag: 'Names',
  summary: 'Publish a name (published clients)',
  auth: 'apiKey',
  scope: 'files:write',
  query: v.object({ cid: cidSchema, keyName }),
  response: { kind: 'json', schema: v.object({ Name: v.string(), Value: v.string() }) },
  errors: [
    ...authErrors,
    'INVALID_CID',
    'IPNS_KEY_UNKNOWN',
    'NAME_KEY_WITH_OWNER',
    'DATA_DAMAGED',
    'INVALID_CONFIGURATION',
    'CONFLICT',
  ],
  dialect: 'ipns',
  limits: { ...limits, perMinute: namePublishesPerMinute },
  idempotent: false,
})

/** `GET /api/ipns/get_ipns_records`: lists the names of the account, in the format of published clients. */
export const getIpnsRecords = defineCall({
  id: 'getIpnsRecords',
  method: 'GET',
  path: '/api/ipns/get_ipns_records',
  host: 'api',
  tag: 'Names',
  summary: 'List names (published clients)',
  description:
    'Returns the names of the account whose key the service stores. `cid` is empty if nothing was published.',
  auth: 'apiKey',
  scope: 'files:read',
  response: {
    kind: 'json',
    schema: v.array(
      v.object({
        ipnsName: v.string(),
        ipnsId: v.string(),
        publicKey: v.string(),
        cid: v.string(),
        lastUpdate: v.number(),
      }),
    ),
  },
  errors: [...authErrors],
  dialect: 'ipns',
  limits,
  idempotent: true,
})

/** `DELETE /api/ipns/remove_key`: removes a name and its key, in the format of published clients. */
export const removeIpnsKey = defineCall({
  id: 'removeIpnsKey',
  method: 'DELETE',
  path: '/api/ipns/remove_key',
  host: 'api',
  tag: 'Names',
  summary: 'Remove a name (published clients)',
  auth: 'apiKey',
  scope: 'files:write',
  query: v.object({ keyName }),
  response: { kind: 'json', schema: v.object({ Keys: v.array(v.object({ Name: v.string(), Id: v.string() })) }) },
  errors: [...authErrors, 'IPNS_KEY_UNKNOWN', 'CONFLICT'],
  dialect: 'ipns',
  limits,
  idempotent: false,
})
