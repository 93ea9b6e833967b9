import * as v from 'valibot'
import { authErrors, defineCall, shortageErrors } from '../call.ts'
import type { ErrorCode } from '../errors.ts'
import { kuboFlag } from './kubo-flag.ts'

const kuboPath = v.pipe(v.string(), v.nonEmpty(), v.maxLength(8192))
const kuboPaths = v.pipe(
  v.union([kuboPath, v.pipe(v.array(kuboPath), v.maxLength(100))]),
  v.transform((paths) => [paths].flat()),
)

const readErrors = [
  'INVALID_CID',
  'INVALID_NAME',
  'INVALID_PATH',
  'BLOCK_NOT_FOUND',
  'PATH_NOT_FOUND',
  'NOT_A_DIRECTORY',
  'NAME_UNRESOLVED',
  'NAME_EXPIRED',
  'NAME_TOO_DEEP',
  'UPSTREAM_FAILED',
  'NOT_ACCEPTABLE',
  'NOT_SUPPORTED',
  'DATA_DAMAGED',
  'UNSUPPORTED_CODEC',
  'DAG_TOO_DEEP',
] as const satisfies readonly ErrorCode[]

const common = {
  method: 'POST',
  host: 'api',
  tag: 'Kubo RPC',
  dialect: 'kubo',
  idempotent: true,
} as const

/** Calls that read any content: open to all, as the gateway is. */
const reading = { ...common, auth: 'none', errors: readErrors, limits: { perMinute: 6000 } } as const

/** `POST /api/v0/version`: clients of Kubo ask for it before any other call. */
export const kuboVersion = defineCall({
  ...common,
  id: 'kuboVersion',
  path: '/api/v0/version',
  summary: 'Kubo’s version call',
  description: 'Answers the version of Kubo whose RPC this service follows, with `+cairn` behind it.',
  auth: 'none',
  query: v.looseObject({ number: kuboFlag, commit: kuboFlag, repo: kuboFlag, all: kuboFlag }),
  response: {
    kind: 'json',
    schema: v.object({
      Version: v.string(),
      Commit: v.string(),
      Repo: v.string(),
      System: v.string(),
      Golang: v.string(),
    }),
  },
  errors: [],
  limits: { perMinute: 6000 },
})

/** `POST /api/v0/id`: the peer that delegated routing names as provider. */
export const kuboId = defineCall({
  ...common,
  id: 'kuboId',
  path: '/api/v0/id',
  summary: 'Kubo’s id call',
  description: 'Answers the gateway as a peer. It speaks HTTP only and cannot be dialled by libp2p.',
  auth: 'none',
  query: v.looseObject({
    /** Read by the client. */
    format: v.optional(v.pipe(v.string(), v.maxLength(200))),
    'peerid-base': v.optional(v.picklist(['b58mh'])),
  }),
  response: {
    kind: 'json',
    schema: v.object({
      ID: v.string(),
      PublicKey: v.string(),
      Addresses: v.array(v.string()),
      AgentVersion: v.string(),
      Protocols: v.array(v.string()),
    }),
  },
  errors: ['NOT_SUPPORTED'],
  limits: { perMinute: 6000 },
})

/** `POST /api/v0/cat?arg={cid}/{path}`: the bytes of a file. */
export const catKubo = defineCall({
  ...reading,
  id: 'catKubo',
  path: '/api/v0/cat',
  summary: 'Read a file (Kubo’s form)',
  query: v.looseObject({
    arg: kuboPath,
    offset: v.optional(v.pipe(v.string(), v.regex(/^\d{1,16}$/), v.transform(Number))),
    length: v.optional(v.pipe(v.string(), v.regex(/^\d{1,16}$/), v.transform(Number))),
    progress: kuboFlag,
  }),
  response: { kind: 'bytes' },
})

/** `POST /api/v0/get`: a file or folder as a TAR archive. */
export const kuboGet = defineCall({
  ...reading,
  id: 'kuboGet',
  path: '/api/v0/get',
  summary: 'Read a file or folder as TAR (Kubo’s form)',
  query: v.looseObject({
    arg: kuboPath,
    /** Read by the client. */
    output: v.optional(v.string()),
    archive: kuboFlag,
    compress: kuboFlag,
    'compression-level': v.optional(v.string()),
    progress: kuboFlag,
  }),
  response: { kind: 'bytes' },
})

/** `POST /api/v0/ls`: the entries of folders. */
export const kuboLs = defineCall({
  ...reading,
  id: 'kuboLs',
  path: '/api/v0/ls',
  summary: 'List a folder (Kubo’s form)',
  query: v.looseObject({
    arg: kuboPaths,
    /** Read by the client. */
    headers: kuboFlag,
    'resolve-type': kuboFlag,
    size: kuboFlag,
    stream: kuboFlag,
    long: kuboFlag,
  }),
  response: { kind: 'bytes', description: 'JSON lines; one line unless `stream` is set.' },
  limits: { perMinute: 600 },
})

/** `POST /api/v0/dag/get`: a node as DAG-JSON. */
export const kuboDagGet = defineCall({
  ...reading,
  id: 'kuboDagGet',
  path: '/api/v0/dag/get',
  summary: 'Read a node as DAG-JSON or DAG-CBOR (Kubo’s form)',
  query: v.looseObject({ arg: kuboPath, 'output-codec': v.optional(v.picklist(['dag-json', 'dag-cbor'])) }),
  response: { kind: 'bytes' },
})

/** `POST /api/v0/dag/export`: a DAG as a CAR. */
export const kuboDagExport = defineCall({
  ...reading,
  id: 'kuboDagExport',
  path: '/api/v0/dag/export',
  summary: 'Read a DAG as a CAR (Kubo’s form)',
  query: v.looseObject({ arg: kuboPath, progress: kuboFlag }),
  response: { kind: 'bytes' },
})

/** `POST /api/v0/dag/resolve`: the CID that a path leads to. */
export const kuboDagResolve = defineCall({
  ...reading,
  id: 'kuboDagResolve',
  path: '/api/v0/dag/resolve',
  summary: 'Resolve a path to a CID (Kubo’s form)',
  query: v.looseObject({ arg: kuboPath }),
  response: { kind: 'json', schema: v.object({ Cid: v.object({ '/': v.string() }), RemPath: v.string() }) },
})

/** `POST /api/v0/block/get`: the bytes of one block. */
export const kuboBlockGet = defineCall({
  ...reading,
  id: 'kuboBlockGet',
  path: '/api/v0/block/get',
  summary: 'Read a block (Kubo’s form)',
  query: v.looseObject({ arg: kuboPath }),
  response: { kind: 'bytes' },
})

/** `POST /api/v0/block/stat`: the size of one block, in bytes. */
export const kuboBlockStat = defineCall({
  ...reading,
  id: 'kuboBlockStat',
  path: '/api/v0/block/stat',
  summary: 'Size of a block (Kubo’s form)',
  query: v.looseObject({ arg: kuboPath }),
  response: { kind: 'json', schema: v.object({ Key: v.string(), Size: v.number() }) },
})

const resolveOptions = {
  arg: kuboPath,
  recursive: kuboFlag,
  nocache: kuboFlag,
  stream: kuboFlag,
  'dht-record-count': v.optional(v.string()),
  'dht-timeout': v.optional(v.string()),
}
const resolvedPath = { kind: 'json', schema: v.object({ Path: v.string() }) } as const

/** `POST /api/v0/resolve`: a path with all names in it followed to a CID. */
export const kuboResolve = defineCall({
  ...reading,
  id: 'kuboResolve',
  path: '/api/v0/resolve',
  summary: 'Resolve a path (Kubo’s form)',
  query: v.looseObject(resolveOptions),
  response: resolvedPath,
})

/** `POST /api/v0/name/resolve`: the path that a name leads to. */
export const kuboNameResolve = defineCall({
  ...reading,
  id: 'kuboNameResolve',
  path: '/api/v0/name/resolve',
  summary: 'Resolve a name (Kubo’s form)',
  query: v.looseObject(resolveOptions),
  response: resolvedPath,
})

/** `POST /api/v0/pin/add`: keeps content for the account, as `pinCid`. */
export const kuboPinAdd = defineCall({
  ...common,
  id: 'kuboPinAdd',
  path: '/api/v0/pin/add',
  summary: 'Pin (Kubo’s form)',
  auth: 'apiKey',
  scope: 'files:write',
  query: v.looseObject({
    arg: kuboPaths,
    recursive: kuboFlag,
    name: v.optional(v.pipe(v.string(), v.maxLength(255))),
    progress: kuboFlag,
  }),
  response: { kind: 'json', schema: v.object({ Pins: v.array(v.string()) }) },
  errors: [
    ...authErrors,
    ...readErrors,
    'INVALID_LABEL',
    'SIGNED_FOR_ANOTHER_USE',
    'BLOCK_HASH_MISMATCH',
    'INVALID_CAR',
    'INCOMPLETE_DAG',
    ...shortageErrors,
    'STORAGE_FULL',
    'STORAGE_FAILED',
    'CONFLICT',
  ],
  limits: { perMinute: 120 },
})

/** `POST /api/v0/pin/ls`: the uploads and pins of the account. */
export const kuboPinLs = defineCall({
  ...common,
  id: 'kuboPinLs',
  path: '/api/v0/pin/ls',
  summary: 'List pins (Kubo’s form)',
  auth: 'apiKey',
  scope: 'files:read',
  query: v.looseObject({
    arg: v.optional(kuboPaths),
    type: v.optional(v.picklist(['all', 'recursive', 'direct', 'indirect'])),
    /** Part of the name, case-sensitive. */
    name: v.optional(v.pipe(v.string(), v.maxLength(255))),
    names: kuboFlag,
    /** Read by the client. */
    quiet: kuboFlag,
    stream: kuboFlag,
  }),
  response: { kind: 'bytes', description: 'One JSON object; with `stream`, a line per pin.' },
  errors: [...authErrors, ...readErrors],
  limits: { perMinute: 120 },
})

/** `POST /api/v0/pin/rm`: removes all uploads and pins of a CID from the account. */
export const kuboPinRm = defineCall({
  ...common,
  id: 'kuboPinRm',
  path: '/api/v0/pin/rm',
  summary: 'Remove a pin (Kubo’s form)',
  auth: 'apiKey',
  scope: 'files:write',
  query: v.looseObject({ arg: kuboPaths, recursive: kuboFlag }),
  response: { kind: 'json', schema: v.object({ Pins: v.array(v.string()) }) },
  errors: [...authErrors, ...readErrors, 'CONFLICT'],
  limits: { perMinute: 120 },
})

/** `POST /api/v0/{call}`: answers every call of Kubo's RPC that the service does not have. */
export const refuseKubo = defineCall({
  ...common,
  id: 'refuseKubo',
  path: '/api/v0/{call*}',
  summary: 'Calls of Kubo that this service does not have',
  auth: 'none',
  params: v.object({ call: v.string() }),
  response: { kind: 'none' },
  errors: ['NOT_SUPPORTED'],
  limits: { perMinute: 6000 },
})
