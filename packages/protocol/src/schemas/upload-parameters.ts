import * as v from 'valibot'
import { kuboFlag } from './kubo-flag.ts'
import { labelText } from './label-text.ts'

/** Random text of a client that names one upload: long enough that the key of another sender cannot be guessed. */
export const idempotencyKeyPattern = /^[\w-]{16,64}$/

/**
 * Options of an upload that travel with it. This is the only list of them: an option that is added here is sent and parsed. A
 * client sends them in the query and the headers of `POST /api/v0/add`, or in the metadata of an upload in parts.
 */
export type UploadParameters = {
  /** Version of the CID. Defaults to 1. */
  cidVersion?: 0 | 1
  /** Wraps a single file in a folder, so that its name is part of the content. */
  wrapWithDirectory?: boolean
  /** `unixfs-v1-2025`: chunks of 1 MiB and 1,024 links, as in newer versions of Kubo. */
  profile?: 'unixfs-v1-2025'
  /** MIME type to store, without parameters. By default, the service detects it. */
  mimeType?: string
  /** The client encrypted the content; the service stores the flag. */
  isEncrypted?: boolean
  /** Stored with the upload; there is one storage class. */
  storageType?: string
  /** Whether indexers learn of the content (IPNI). The operator decides by default, and not to for encrypted content. */
  announce?: boolean
  /**
   * Whether the service shows the content to its owner and through signed links only, and keeps it from indexers and
   * storage providers. Defaults to false. Not with encryption.
   */
  private?: boolean
}

// The schemas are in functions, so that bundles of clients, which parse none of them, leave them out.

/** Parameters of an upload in the query: those of {@link UploadParameters}, and those that Kubo's clients have. */
export const uploadQuery = /* @__PURE__ */ (() => ({
  /** 0 or 1. Defaults to 1 (0 for the clients of Kubo). */
  'cid-version': v.optional(v.string()),
  'wrap-with-directory': kuboFlag,
  /** Kubo: raw leaves for files. Defaults to true for CID version 1. */
  'raw-leaves': kuboFlag,
  /** Import profile: `unixfs-v1-2025` for 1 MiB chunks and 1,024 links. */
  profile: v.optional(v.picklist(['unixfs-v0-2015', 'unixfs-v1-2025'])),
  /** Kubo: `sha2-256`, the only hash. */
  hash: v.optional(v.string()),
  /** Kubo: `size-N` for chunks of N bytes. */
  chunker: v.optional(v.string()),
  /** Maximum links of a file node, 2 to 16,384. */
  'max-file-links': v.optional(v.string()),
  /** A folder with more entries becomes a HAMT; 0 for no limit. */
  'max-directory-links': v.optional(v.string()),
  /** Slots of a HAMT shard: a power of two from 8 to 1,024. */
  'max-hamt-fanout': v.optional(v.string()),
  /** `false`: omits folders without content. */
  'empty-dirs': kuboFlag,
}))()

/** Headers of an upload. */
export const uploadHeaders = /* @__PURE__ */ (() => ({
  /** MIME type to store for a single file; without it, the service derives one from name and content. */
  'mime-type': v.optional(v.pipe(v.string(), v.maxLength(255))),
  /** `true`: the client encrypted the content; the service stores the flag and returns an array. */
  encryption: v.optional(v.pipe(v.string(), v.maxLength(16))),
  /** Stored with the upload; there is one storage class. */
  'x-storage-type': v.optional(labelText(64)),
  /** Whether indexers learn of the content. By default, the operator decides, and never for encrypted content. */
  announce: v.optional(v.picklist(['true', 'false'])),
  /** `true`: the content is served to its owner and through signed links only. Not with `encryption` or `announce: true`. */
  private: v.optional(v.picklist(['true', 'false'])),
}))()

/** All parameters of an upload by their names in a request, whichever way they arrived. */
export const receivedParametersSchema = /* @__PURE__ */ makeSchema()
export type ReceivedParameters = v.InferOutput<typeof receivedParametersSchema>

function makeSchema() {
  return v.object({ ...uploadQuery, ...uploadHeaders })
}

/** The parameters in the query of a request. */
const queryNames = {
  cidVersion: 'cid-version',
  wrapWithDirectory: 'wrap-with-directory',
  profile: 'profile',
} as const satisfies { [Name in keyof UploadParameters]: keyof typeof uploadQuery }

/** All others are headers. */
const headerNames = {
  mimeType: 'mime-type',
  isEncrypted: 'encryption',
  storageType: 'x-storage-type',
  announce: 'announce',
  private: 'private',
} as const satisfies Record<Exclude<keyof UploadParameters, keyof typeof queryNames>, keyof typeof uploadHeaders>

/** The keys of tus metadata that differ from the names in a request. */
const metadataKeys: Readonly<Record<string, string>> = {
  'mime-type': 'filetype',
  'x-storage-type': 'storage-type',
} satisfies { [Name in keyof ReceivedParameters]: string }

/** Returns the query and the headers of a request that carry the parameters of an upload. */
export function encodeUploadRequest(parameters: UploadParameters): Record<'query' | 'headers', Record<string, string>> {
  return { query: encode(parameters, queryNames), headers: encode(parameters, headerNames) }
}

/** Returns the tus metadata that carry the parameters of an upload, before base64. */
export function encodeUploadMetadata(parameters: UploadParameters): Record<string, string> {
  const { query, headers } = encodeUploadRequest(parameters)
  const entries = Object.entries({ ...query, ...headers })
  return Object.fromEntries(entries.map(([name, text]) => [metadataKeys[name] ?? name, text]))
}

/**
 * Returns the parameters of an upload by their names in a request, before the schema.
 * @param read returns the text of a key of tus metadata, if there is one
 */
export function decodeUploadMetadata(read: (key: string) => string | undefined): Record<string, string | undefined> {
  const names = Object.keys(receivedParametersSchema.entries)
  return Object.fromEntries(names.map((name) => [name, read(metadataKeys[name] ?? name)]))
}

function encode(parameters: Readonly<Record<string, unknown>>, names: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, wire]) => {
      const value = parameters[name]
      return value === undefined ? [] : [[wire, String(value)]]
    }),
  )
}
