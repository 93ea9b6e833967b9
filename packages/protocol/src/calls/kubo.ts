import * as v from 'valibot'
import { authErrors, defineCall, shortageErrors } from '../call.ts'
import { kuboFlag } from '../schemas/kubo-flag.ts'
import { kuboCommon, kuboPath, kuboPaths, kuboReadErrors, kuboReading } from './kubo-common.ts'

/** `POST /api/v0/version`: clients of Kubo request it before any other call. */
export const kuboVersion = defineCall({
  ...kuboCommon,
  id: 'kuboVersion',
  path: '/api/v0/version',
  summary: 'Get the version (Kubo’s form)',
  description: 'Returns the Kubo version whose RPC this service implements. `Commit` is `cairn`.',
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

/** `POST /api/v0/id`: returns the peer that delegated routing names as provider. */
export const kuboId = defineCall({
  ...kuboCommon,
  id: 'kuboId',
  path: '/api/v0/id',
  summary: 'Get the peer id (Kubo’s form)',
  description: 'Returns the gateway as a peer. It supports only HTTP and does not accept libp2p connections.',
  auth: 'none',
  query: v.looseObject({
    /** Only used by the client. */
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

/** `POST /api/v0/cat?arg={cid}/{path}`: returns the bytes of a file. */
export const catKubo = defineCall({
  ...kuboReading,
  id: 'catKubo',
  path: '/api/v0/cat',
  summary: 'Read a file (Kubo’s form)',
  query: v.looseObject({
    arg: kuboPath,
    offset: v.optional(v.pipe(v.string(), v.regex(/^\d{1,16}$/), v.transform(Number))),
    length: v.optional(v.pipe(v.string(), v.regex(/^\d{1,16}$/), v.transform(Number))),
    progress: kuboFlag,
    /** No effect. Kubo's Go client sends both for symbolic links. */
    'resolve-size': kuboFlag,
    stream: kuboFlag,
  }),
  response: { kind: 'bytes', mediaTypes: ['text/plain'] },
})

/** `POST /api/v0/get`: returns a file or folder as a TAR archive. */
export const kuboGet = defineCall({
  ...kuboReading,
  id: 'kuboGet',
  path: '/api/v0/get',
  summary: 'Read a file or folder as TAR (Kubo’s form)',
  query: v.looseObject({
    arg: kuboPath,
    /** Only used by the client. */
    output: v.optional(v.string()),
    create: kuboFlag,
    archive: kuboFlag,
    compress: kuboFlag,
    'compression-level': v.optional(v.string()),
    progress: kuboFlag,
  }),
  response: { kind: 'bytes', mediaTypes: ['application/x-tar'] },
})

/** `POST /api/v0/ls`: lists the entries of folders. */
export const kuboLs = defineCall({
  ...kuboReading,
  id: 'kuboLs',
  path: '/api/v0/ls',
  summary: 'List a folder (Kubo’s form)',
  query: v.looseObject({
    arg: kuboPaths,
    /** Only used by the client. */
    headers: kuboFlag,
    'resolve-type': kuboFlag,
    /** No effect. Kubo's Go client sends it for folders. */
    'resolve-size': kuboFlag,
    size: kuboFlag,
    stream: kuboFlag,
    long: kuboFlag,
  }),
  response: {
    kind: 'bytes',
    mediaTypes: ['application/json'],
    description: 'Returns JSON lines, a single line unless `stream` is set.',
  },
  limits: { perMinute: 600 },
})

/** `POST /api/v0/dag/get`: returns a node as DAG-JSON. */
export const kuboDagGet = defineCall({
  ...kuboReading,
  id: 'kuboDagGet',
  path: '/api/v0/dag/get',
  summary: 'Read a node as DAG-JSON or DAG-CBOR (Kubo’s form)',
  query: v.looseObject({ arg: kuboPath, 'output-codec': v.optional(v.picklist(['dag-json', 'dag-cbor'])) }),
  response: { kind: 'bytes', mediaTypes: ['text/plain'] },
})

/** `POST /api/v0/dag/export`: returns a DAG as a CAR. */
export const kuboDagExport = defineCall({
  ...kuboReading,
  id: 'kuboDagExport',
  path: '/api/v0/dag/export',
  summary: 'Read a DAG as a CAR (Kubo’s form)',
  query: v.looseObject({ arg: kuboPath, progress: kuboFlag }),
  response: { kind: 'bytes', mediaTypes: ['text/plain'] },
})

/** `kubo-rpc-client` follows the path itself, or adds it to `arg`, and sends the option, too. */
const pathOption = { path: v.optional(v.string()) }

/** `POST /api/v0/dag/resolve`: resolves a path to its CID. */
export const kuboDagResolve = defineCall({
  ...kuboReading,
  id: 'kuboDagResolve',
  path: '/api/v0/dag/resolve',
  summary: 'Resolve a path to a CID (Kubo’s form)',
  query: v.looseObject({ arg: kuboPath, ...pathOption }),
  response: { kind: 'json', schema: v.object({ Cid: v.object({ '/': v.string() }), RemPath: v.string() }) },
})

/** `POST /api/v0/block/get`: returns the bytes of one block. */
export const kuboBlockGet = defineCall({
  ...kuboReading,
  id: 'kuboBlockGet',
  path: '/api/v0/block/get',
  summary: 'Read a block (Kubo’s form)',
  query: v.looseObject({ arg: kuboPath, ...pathOption, 'local-resolve': v.optional(v.string()) }),
  response: { kind: 'bytes', mediaTypes: ['text/plain'] },
})

/** `POST /api/v0/block/stat`: returns the size of one block, in bytes. */
export const kuboBlockStat = defineCall({
  ...kuboReading,
  id: 'kuboBlockStat',
  path: '/api/v0/block/stat',
  summary: 'Get the size of a block (Kubo’s form)',
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

/** `POST /api/v0/resolve`: resolves a path, with all names in it, to a CID. */
export const kuboResolve = defineCall({
  ...kuboReading,
  id: 'kuboResolve',
  path: '/api/v0/resolve',
  summary: 'Resolve a path (Kubo’s form)',
  query: v.looseObject(resolveOptions),
  response: resolvedPath,
})

/** `POST /api/v0/name/resolve`: resolves a name to its path. */
export const kuboNameResolve = defineCall({
  ...kuboReading,
  id: 'kuboNameResolve',
  path: '/api/v0/name/resolve',
  summary: 'Resolve a name (Kubo’s form)',
  query: v.looseObject(resolveOptions),
  response: resolvedPath,
})

/** `POST /api/v0/pin/add`: pins content for the account, like `pinCid`. */
export const kuboPinAdd = defineCall({
  ...kuboCommon,
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
    /** `kubo-rpc-client` always sends it. Kubo has no such option. */
    stream: kuboFlag,
  }),
  response: { kind: 'json', schema: v.object({ Pins: v.array(v.string()) }) },
  errors: [
    ...authErrors,
    ...kuboReadErrors,
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

/** `POST /api/v0/pin/ls`: lists the uploads and pins of the account. */
export const kuboPinLs = defineCall({
  ...kuboCommon,
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
    /** Only used by the client. */
    quiet: kuboFlag,
    stream: kuboFlag,
    /** The paths in `arg` once more, as `kubo-rpc-client` sends them. */
    paths: v.optional(kuboPaths),
  }),
  response: {
    kind: 'bytes',
    mediaTypes: ['application/json'],
    description: 'Returns one JSON object, or one line per pin with `stream`.',
  },
  errors: [...authErrors, ...kuboReadErrors],
  limits: { perMinute: 120 },
})

/** `POST /api/v0/pin/rm`: removes all uploads and pins of a CID from the account. */
export const kuboPinRm = defineCall({
  ...kuboCommon,
  id: 'kuboPinRm',
  path: '/api/v0/pin/rm',
  summary: 'Remove a pin (Kubo’s form)',
  auth: 'apiKey',
  scope: 'files:write',
  query: v.looseObject({ arg: kuboPaths, recursive: kuboFlag }),
  response: { kind: 'json', schema: v.object({ Pins: v.array(v.string()) }) },
  errors: [...authErrors, ...kuboReadErrors, 'CONFLICT'],
  limits: { perMinute: 120 },
})

/** `POST /api/v0/{call}`: rejects every other call of the Kubo RPC. */
export const refuseKubo = defineCall({
  ...kuboCommon,
  id: 'refuseKubo',
  path: '/api/v0/{call*}',
  summary: 'Kubo calls that this service does not support',
  auth: 'none',
  params: v.object({ call: v.string() }),
  response: { kind: 'none' },
  errors: ['NOT_SUPPORTED'],
  limits: { perMinute: 6000 },
})
