import * as v from 'valibot'
import { authErrors, defineCall, shortageErrors } from '../call.ts'
import type { ErrorCode } from '../errors/error-table.ts'
import { maxNameLabelCharacters, maxNameLifetimeMs, maxNameTtlMs, minNameLifetimeMs } from '../limits.ts'
import { kuboFlag, kuboUnsetFlag } from '../schemas/kubo-flag.ts'
import { labelText } from '../schemas/label-text.ts'
import { kuboCommon, kuboPath, kuboPaths, kuboReadErrors, kuboReading } from './kubo-common.ts'

const writing = { ...kuboCommon, auth: 'apiKey', scope: 'files:write' } as const
const storeErrors = [
  ...authErrors,
  'INVALID_MULTIPART',
  'NO_FILE',
  'SIGNED_FOR_ANOTHER_USE',
  'TOO_MANY_PARTS',
  'INVALID_CAR',
  'BLOCK_HASH_MISMATCH',
  'INCOMPLETE_DAG',
  'DAG_TOO_DEEP',
  'UNSUPPORTED_CODEC',
  ...shortageErrors,
  'STORAGE_FULL',
  'STORAGE_FAILED',
  'CONFLICT',
] as const satisfies readonly ErrorCode[]
const blocksBody = { kind: 'multipart', description: 'Each part is one block of at most 2 MiB.' } as const
const codecNames = ['raw', 'dag-pb', 'dag-cbor', 'dag-json', 'cbor', 'json'] as const
/** Codecs with one form per value. */
const storedCodecNames = ['raw', 'dag-pb', 'dag-cbor', 'dag-json'] as const
/** Name of a hash function in the table of multicodecs. An empty one is the default, as in Kubo. */
const hashName = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^[a-z0-9-]{0,64}$/),
    v.transform((name) => (name === '' ? undefined : name)),
  ),
)
/** Length of a digest in bytes; -1 for the whole digest. */
const digestLength = v.optional(v.pipe(v.string(), v.regex(/^(?:-1|\d{1,3})$/), v.transform(Number)))
const label = v.pipe(labelText(maxNameLabelCharacters), v.nonEmpty())

/** `POST /api/v0/block/put`: stores blocks unchanged, each as an upload. */
export const kuboBlockPut = defineCall({
  ...writing,
  id: 'kuboBlockPut',
  path: '/api/v0/block/put',
  summary: 'Store blocks (Kubo’s form)',
  description:
    'Each block is an upload of the account. Blocks that it links to must be stored or sent in the same request.',
  query: v.looseObject({
    'cid-codec': v.optional(v.picklist(codecNames)),
    /** Deprecated name of the codec; `v0` creates a CID of version 0, an empty one is the default. */
    format: v.optional(
      v.pipe(
        v.picklist([...codecNames, 'v0', 'protobuf', '']),
        v.transform((name) => (name === '' ? undefined : name)),
      ),
    ),
    mhtype: hashName,
    mhlen: digestLength,
    version: v.optional(v.picklist(['0', '1'])),
    /** No effect: everything is pinned. */
    pin: kuboFlag,
    'allow-big-block': kuboUnsetFlag,
  }),
  body: blocksBody,
  response: { kind: 'bytes', mediaTypes: ['application/json'], description: 'Returns one JSON line per block.' },
  errors: storeErrors,
  limits: { perMinute: 6000 },
})

/** `POST /api/v0/dag/put`: encodes nodes and stores them, each as an upload. */
export const kuboDagPut = defineCall({
  ...writing,
  id: 'kuboDagPut',
  path: '/api/v0/dag/put',
  summary: 'Store nodes (Kubo’s form)',
  description:
    'Each node is an upload of the account. Blocks that it links to must be stored or sent in the same request.',
  query: v.looseObject({
    'store-codec': v.optional(v.picklist(storedCodecNames)),
    'input-codec': v.optional(v.picklist(codecNames)),
    /** Names of both codecs before Kubo 0.10, which some clients still send with their defaults. */
    format: v.optional(v.picklist(['cbor', 'dag-cbor'])),
    'input-enc': v.optional(v.picklist(['json', 'dag-json'])),
    hash: hashName,
    /** No effect: everything is pinned. */
    pin: kuboFlag,
    'allow-big-block': kuboUnsetFlag,
  }),
  body: blocksBody,
  response: { kind: 'bytes', mediaTypes: ['application/json'], description: 'Returns one JSON line per node.' },
  errors: [...storeErrors, 'NOT_SUPPORTED'],
  limits: { perMinute: 6000 },
})

/** `POST /api/v0/dag/stat`: returns the number of blocks and bytes of DAGs. */
export const kuboDagStat = defineCall({
  ...kuboReading,
  id: 'kuboDagStat',
  path: '/api/v0/dag/stat',
  summary: 'Get the size of a DAG (Kubo’s form)',
  query: v.looseObject({
    arg: kuboPaths,
    progress: kuboFlag,
  }),
  response: { kind: 'bytes', mediaTypes: ['application/json'], description: 'Returns one JSON line.' },
  limits: { perMinute: 120 },
})

/** `POST /api/v0/files/stat?arg=/ipfs/{cid}/{path}`: describes a file or folder. */
export const kuboFilesStat = defineCall({
  ...kuboReading,
  id: 'kuboFilesStat',
  path: '/api/v0/files/stat',
  summary: 'Describe a file or folder (Kubo’s form)',
  query: v.looseObject({
    arg: kuboPath,
    /** Only used by the client. */
    format: v.optional(v.string()),
    hash: kuboFlag,
    size: kuboFlag,
    /** Applies only to mutable files, which are not supported. */
    flush: kuboFlag,
    'with-local': kuboUnsetFlag,
  }),
  response: {
    kind: 'json',
    schema: v.object({
      Hash: v.string(),
      Size: v.number(),
      CumulativeSize: v.number(),
      Blocks: v.number(),
      Type: v.string(),
      /** Time of the node in seconds since 1970, if it has one. */
      Mtime: v.optional(v.number()),
      MtimeNsecs: v.optional(v.number()),
      /** Mode in octal digits as Go writes it, if the node has one. */
      Mode: v.optional(v.string()),
    }),
  },
})

/** `POST /api/v0/repo/stat`: returns the usage and limit of the account. */
export const kuboRepoStat = defineCall({
  ...kuboCommon,
  id: 'kuboRepoStat',
  path: '/api/v0/repo/stat',
  summary: 'Get the storage of the account (Kubo’s form)',
  auth: 'apiKey',
  scope: 'files:read',
  query: v.looseObject({ 'size-only': kuboFlag, human: kuboFlag }),
  response: {
    kind: 'json',
    schema: v.object({
      RepoSize: v.number(),
      StorageMax: v.number(),
      NumObjects: v.number(),
      RepoPath: v.string(),
      Version: v.string(),
    }),
  },
  errors: [...authErrors],
  limits: { perMinute: 600 },
})

/** `POST /api/v0/pin/update`: pins one path, then removes the pin of another. */
export const kuboPinUpdate = defineCall({
  ...writing,
  id: 'kuboPinUpdate',
  path: '/api/v0/pin/update',
  summary: 'Replace a pin (Kubo’s form)',
  query: v.looseObject({ arg: v.tuple([kuboPath, kuboPath]), unpin: kuboFlag }),
  response: { kind: 'json', schema: v.object({ Pins: v.array(v.string()) }) },
  errors: [...kuboReadErrors, ...storeErrors, 'INVALID_LABEL'],
  limits: { perMinute: 120 },
})

const nameErrors = [...authErrors, 'NAME_NOT_FOUND', 'INVALID_NAME', 'INVALID_LABEL', 'CONFLICT'] as const
const keys = {
  kind: 'json',
  schema: v.object({ Keys: v.array(v.object({ Name: v.string(), Id: v.string() })) }),
} as const

/** `POST /api/v0/key/gen`: creates a name whose key the service holds. */
export const kuboKeyGen = defineCall({
  ...writing,
  id: 'kuboKeyGen',
  path: '/api/v0/key/gen',
  summary: 'Create a name (Kubo’s form)',
  query: v.looseObject({
    arg: label,
    type: v.optional(v.picklist(['ed25519'])),
    /** No effect: Ed25519 keys have one size. Kubo's Go client always sends it. */
    size: v.optional(v.pipe(v.string(), v.regex(/^(?:-1|\d{1,6})$/))),
    'ipns-base': v.optional(v.picklist(['base36'])),
  }),
  response: { kind: 'json', schema: v.object({ Name: v.string(), Id: v.string() }) },
  errors: [...nameErrors, 'NAME_LIMIT', 'INVALID_CONFIGURATION'],
  limits: { perMinute: 60 },
  idempotent: false,
})

/** `POST /api/v0/key/list`: lists the names whose keys the service holds. */
export const kuboKeyList = defineCall({
  ...kuboCommon,
  id: 'kuboKeyList',
  path: '/api/v0/key/list',
  summary: 'List names (Kubo’s form)',
  auth: 'apiKey',
  scope: 'files:read',
  query: v.looseObject({
    /** Only used by the client. */
    l: kuboFlag,
    'ipns-base': v.optional(v.picklist(['base36'])),
  }),
  response: keys,
  errors: [...authErrors],
  limits: { perMinute: 120 },
})

/** `POST /api/v0/key/ls`: the name of `key/list` since Kubo 0.40. */
export const kuboKeyLs = defineCall({ ...kuboKeyList, id: 'kuboKeyLs', path: '/api/v0/key/ls' })

/** `POST /api/v0/key/rename`: changes the label of a name. */
export const kuboKeyRename = defineCall({
  ...writing,
  id: 'kuboKeyRename',
  path: '/api/v0/key/rename',
  summary: 'Rename a name (Kubo’s form)',
  query: v.looseObject({
    arg: v.tuple([label, label]),
    /** Labels of other names are never taken over. */
    force: kuboUnsetFlag,
    'ipns-base': v.optional(v.picklist(['base36'])),
  }),
  response: {
    kind: 'json',
    schema: v.object({ Was: v.string(), Now: v.string(), Id: v.string(), Overwrite: v.boolean() }),
  },
  errors: nameErrors,
  limits: { perMinute: 120 },
})

/** `POST /api/v0/key/rm`: removes names, and deletes their keys from the service. */
export const kuboKeyRm = defineCall({
  ...writing,
  id: 'kuboKeyRm',
  path: '/api/v0/key/rm',
  summary: 'Remove names (Kubo’s form)',
  query: v.looseObject({
    arg: v.pipe(
      v.union([label, v.pipe(v.array(label), v.maxLength(100))]),
      v.transform((names) => [names].flat()),
    ),
    /** Only used by the client. */
    l: kuboFlag,
    'ipns-base': v.optional(v.picklist(['base36'])),
  }),
  response: keys,
  errors: nameErrors,
  limits: { perMinute: 120 },
})

const duration = v.pipe(v.string(), v.regex(/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h))+$/), v.transform(readDuration))

/** `POST /api/v0/name/publish`: points a name of the account to a path. */
export const kuboNamePublish = defineCall({
  ...writing,
  id: 'kuboNamePublish',
  path: '/api/v0/name/publish',
  summary: 'Publish a name (Kubo’s form)',
  query: v.looseObject({
    arg: kuboPath,
    key: v.optional(label),
    lifetime: v.optional(v.pipe(duration, v.minValue(minNameLifetimeMs), v.maxValue(maxNameLifetimeMs))),
    ttl: v.optional(v.pipe(duration, v.maxValue(maxNameTtlMs))),
    /** Whether the path must be stored here. Defaults to true. */
    resolve: kuboFlag,
    quieter: kuboFlag,
    v1compat: v.optional(v.picklist(['true', '1', ''])),
    'allow-offline': kuboFlag,
    'allow-delegated': kuboFlag,
    'ipns-base': v.optional(v.picklist(['base36'])),
  }),
  response: { kind: 'json', schema: v.object({ Name: v.string(), Value: v.string() }) },
  errors: [
    ...nameErrors,
    ...kuboReadErrors,
    'INVALID_NAME_VALUE',
    'NAME_KEY_WITH_OWNER',
    'INVALID_CONFIGURATION',
    'IPNS_RECORD_OUTDATED',
  ],
  limits: { perMinute: 60 },
})

/** Parses a Go duration (`1h30m`) to ms. */
function readDuration(text: string): number {
  const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
  let totalMs = 0
  for (const [, amount, unit = ''] of text.matchAll(/([\d.]+)(ms|s|m|h)/g))
    totalMs += Number(amount) * (unitMs[unit] ?? 0)
  return Math.round(totalMs)
}
