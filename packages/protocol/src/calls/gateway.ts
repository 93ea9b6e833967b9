import * as v from 'valibot'
import { defineCall, deniedErrors } from '../call.ts'
import type { ErrorCode } from '../errors/error-table.ts'
import { anyCidSchema } from '../schemas/cid.ts'

const readErrors = [
  ...deniedErrors,
  'INVALID_CID',
  'INVALID_PATH',
  'BLOCK_NOT_FOUND',
  'PATH_NOT_FOUND',
  'DATA_DAMAGED',
  'UNSUPPORTED_CODEC',
  'DAG_TOO_DEEP',
] as const satisfies readonly ErrorCode[]

/** Errors of the formats and headers of a request, and of resized pictures. */
const formatErrors = [
  'INVALID_RANGE',
  'NOT_ACCEPTABLE',
  'NOT_SUPPORTED',
  'PRECONDITION_FAILED',
  'NOT_A_PICTURE',
  'PICTURE_TOO_LARGE',
  'PICTURES_UNAVAILABLE',
] as const satisfies readonly ErrorCode[]

/** Answers that the path or the headers of a request lead to. */
const statuses = {
  206: 'The range that the request names.',
  304: 'The client has this content.',
  '3XX': 'The canonical address of the content, or the target in the `_redirects` file of a site.',
}

const params = v.object({ cid: anyCidSchema, path: v.optional(v.pipe(v.string(), v.maxLength(8192))) })

/** `POST /api/v0/cat/{cid}/{path}`: returns the bytes of a file, as published clients fetch them before decrypting. */
export const catFile = defineCall({
  id: 'catFile',
  method: 'POST',
  path: '/api/v0/cat/{cid}/{path*}',
  host: 'gateway',
  tag: 'Gateway',
  summary: 'Read a file',
  auth: 'none',
  params,
  response: { kind: 'bytes' },
  errors: readErrors,
  dialect: 'gateway',
  limits: {},
  idempotent: true,
})

/** `GET /ipfs/{cid}/{path}`: the path gateway. Follows the IPFS path and trustless gateway specifications. */
export const getIpfs = defineCall({
  id: 'getIpfs',
  method: 'GET',
  path: '/ipfs/{cid}/{path*}',
  host: 'gateway',
  tag: 'Gateway',
  summary: 'Read a file, a folder page, a block or a CAR',
  description:
    'Supports ranges, conditional requests and HEAD (RFC 9110). `?format=raw|car|tar|…` takes precedence over `Accept`. CARs support `dag-scope` and `entity-bytes`. `img-width` and other parameters resize pictures. Subdomain form: `{cid}.ipfs.{host}`.',
  auth: 'none',
  params,
  query: v.looseObject({
    format: v.optional(v.pipe(v.string(), v.maxLength(32))),
    filename: v.optional(v.pipe(v.string(), v.maxLength(1024))),
    download: v.optional(v.pipe(v.string(), v.maxLength(8))),
    'dag-scope': v.optional(v.pipe(v.string(), v.maxLength(16))),
    'entity-bytes': v.optional(v.pipe(v.string(), v.maxLength(64))),
  }),
  response: { kind: 'bytes', mediaTypes: ['*/*'] },
  otherStatuses: statuses,
  errors: [...readErrors, ...formatErrors],
  dialect: 'gateway',
  limits: {},
  idempotent: true,
})

/** `GET /ipns/{name}/{path}`: the path gateway below a name. */
export const getIpns = defineCall({
  id: 'getIpns',
  method: 'GET',
  path: '/ipns/{name}/{path*}',
  host: 'gateway',
  tag: 'Gateway',
  summary: 'Read the content of a name',
  description:
    'Like `/ipfs/{cid}`, but cached only as long as the record allows. `{name}` is an IPNS name in any form, or a DNS name with a DNSLink if the operator configured a resolver. `?format=ipns-record` returns the signed record. Subdomain form: `{name}.ipns.{host}`.',
  auth: 'none',
  params: v.object({
    name: v.pipe(v.string(), v.maxLength(253)),
    path: v.optional(v.pipe(v.string(), v.maxLength(8192))),
  }),
  query: v.looseObject({ format: v.optional(v.pipe(v.string(), v.maxLength(32))) }),
  response: { kind: 'bytes', mediaTypes: ['*/*'] },
  otherStatuses: statuses,
  errors: [
    'INVALID_NAME',
    'NAME_UNRESOLVED',
    'NAME_EXPIRED',
    'NAME_TOO_DEEP',
    'UPSTREAM_FAILED',
    ...readErrors,
    ...formatErrors,
  ],
  dialect: 'gateway',
  limits: {},
  idempotent: true,
})
