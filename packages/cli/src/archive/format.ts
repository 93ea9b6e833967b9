import { CairnError, isAnyCid, type Payment } from '@cairn/sdk'
import * as v from 'valibot'

// The on-disk format of an exported account: docs/how-to/export.md describes it for readers without this program.

/** Format of the folder; a program rejects an unknown version. */
export const archiveFormat = 'cairn-archive/1'
/** Format of a folder with private files: programs of earlier versions, which would make them public, reject it. */
export const privateArchiveFormat = 'cairn-archive/2'

/** The lists of an archive: one JSON object per line. */
export const listNames = ['files', 'keys', 'rights', 'names', 'drive', 'payments', 'proofs'] as const
export type ListName = (typeof listNames)[number]

/** Returns the path of a list below the archive folder. */
export function listPath(list: ListName): string {
  return `${list}.jsonl`
}

/** Returns the path of the content of a CID. The last two characters spread a million files over a thousand folders. */
export function carPath(cid: string): string {
  return `cars/${cid.slice(-2)}/${cid}.car`
}

/** A value under the seal of the archive: AES-256-GCM with the tag after the ciphertext, both in base64. */
const sealed = v.object({ iv: v.string(), ciphertext: v.string() })
export type Sealed = v.InferOutput<typeof sealed>

/** Paths are built from CIDs, so no other text is valid. */
const cid = v.pipe(
  v.string(),
  v.check((text) => isAnyCid(text)),
)

/** Rows that an import reads. Payments and proofs are for people. */
export const fileRow = v.object({
  cid,
  name: v.string(),
  mimeType: v.nullable(v.string()),
  sizeBytes: v.number(),
  createdAt: v.string(),
  isEncrypted: v.boolean(),
  isPrivate: v.exactOptional(v.literal(true)),
  car: v.string(),
})
export type FileRow = v.InferOutput<typeof fileRow>

export const keyRow = v.union([
  v.object({ kind: v.literal('file key'), cid, sealed }),
  v.object({ kind: v.literal('name key'), name: v.string(), sealed }),
])
export type KeyRow = v.InferOutput<typeof keyRow>

export const rightsRow = v.object({
  cid,
  owner: v.string(),
  sharedTo: v.array(v.string()),
  conditions: v.nullable(
    v.object({
      conditions: v.array(v.unknown()),
      aggregator: v.exactOptional(v.string()),
      chainType: v.exactOptional(v.string()),
    }),
  ),
})
export type RightsRow = v.InferOutput<typeof rightsRow>

export const nameRow = v.object({
  name: v.string(),
  label: v.nullable(v.string()),
  value: v.nullable(v.string()),
  sequence: v.nullable(v.string()),
  validUntil: v.nullable(v.string()),
  /** The signed record in base64; null for an unpublished name or an expired record. */
  record: v.nullable(v.string()),
})
export type NameRow = v.InferOutput<typeof nameRow>

/** A part of the drive, encrypted as the service stores it. `docs/drive-format.md` describes it. */
export const driveRow = v.object({ keyCid: cid, first: v.number(), last: v.number(), data: v.string() })
export type DriveRow = v.InferOutput<typeof driveRow>

export type ProofRow = { cid: string; proofs: unknown }
export type Row = FileRow | KeyRow | RightsRow | NameRow | DriveRow | Payment | ProofRow

/** Items that could not be exported, with the reason. */
const missing = v.object({ kind: v.string(), id: v.string(), code: v.string(), message: v.string() })
export type Missing = v.InferOutput<typeof missing>

const manifest = v.object({
  format: v.picklist([archiveFormat, privateArchiveFormat]),
  network: v.object({ name: v.string(), api: v.string() }),
  /** Address of the account. */
  account: v.string(),
  startedAt: v.string(),
  /** Null until the export is complete. */
  completedAt: v.nullable(v.string()),
  seal: v.object({
    scheme: v.literal('eip191-hkdf-sha256-aes256gcm'),
    salt: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  }),
  counts: v.object({ files: v.number(), cars: v.number(), bytes: v.number() }),
  lists: v.array(v.object({ name: v.picklist(listNames), path: v.string(), rows: v.number(), sha256: v.string() })),
  missing: v.array(missing),
})
export type Manifest = v.InferOutput<typeof manifest>

/**
 * Parses `manifest.json`.
 * @throws CairnError INVALID_ARCHIVE
 */
export function parseManifest(text: string, path: string): Manifest {
  return parse(manifest, text, path)
}

/**
 * Parses one line of a list.
 * @throws CairnError INVALID_ARCHIVE
 */
export function parseRow<T>(schema: v.GenericSchema<unknown, T>, line: string, path: string): T {
  return parse(schema, line, path)
}

function parse<T>(schema: v.GenericSchema<unknown, T>, text: string, path: string): T {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new CairnError('INVALID_ARCHIVE', { message: `${path} is not JSON`, details: { path }, cause })
  }
  const parsed = v.safeParse(schema, json)
  if (parsed.success) return parsed.output
  const field = v.getDotPath(parsed.issues[0]) ?? ''
  throw new CairnError('INVALID_ARCHIVE', { message: `${path} has no valid "${field}"`, details: { path, field } })
}
