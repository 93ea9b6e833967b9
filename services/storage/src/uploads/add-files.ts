import type { Uploaded } from '@cairn/protocol'
import type { BlockSink, ImportOptions, ImportProfile } from '@cairn/unixfs'
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Feed } from '../multipart/read-multipart.ts'
import { hashSha256 } from '../packs/packs.ts'
import { buildRoots, chooseShape, type UploadEntry, type UploadRoots } from './build-roots.ts'
import { giveUp } from './give-up.ts'
import { toUploadError } from './import-errors.ts'
import { type ImportedParts, importParts } from './import-parts.ts'
import { keepPack, type UploadToKeep } from './keep-pack.ts'
import { findMimeType } from './mime-type.ts'
import { openQuotaMeter, type QuotaMeter } from './quota-meter.ts'

/** How files are added. */
export type AddOptions = {
  /** Of the multipart body. */
  boundary: string
  /** Length of the body where it was told, in bytes. */
  bodyBytes: number | undefined
  profile: ImportProfile
  wrap: boolean
  /** Computes CIDs and stores nothing. */
  onlyHash: boolean
  isKubo: boolean
  encryption: boolean
  /** Overrides what is found out. */
  mimeType: string | undefined
  storageType: string | undefined
  /** Of an upload that holds its room already. */
  held?: HeldUpload
}

/** An upload whose room is held by somebody else, who also gives it back, and who records what came of it. */
export type HeldUpload = { meter: QuotaMeter; record(trx: Kysely<Schema>, roots: Uploaded[]): Promise<void> }

/** What was added: the roots as answers, and every entry in Kubo's order. */
export type Added = { roots: Uploaded[]; entries: UploadEntry[] }

/**
 * Imports a multipart body in one pass and keeps it: durable when the promise resolves. Where anything fails, the client
 * going away included, nothing of it is left.
 *
 * @throws CairnError QUOTA_EXCEEDED (before the body is read, or while it streams), INVALID_MULTIPART, NO_FILE,
 * INVALID_PATH, DUPLICATE_NAME, TOO_MANY_PARTS, HEADER_TOO_LARGE, REQUEST_TIMEOUT, STORAGE_FULL, STORAGE_FAILED, CONFLICT
 */
export async function addFiles(context: Context, address: string, body: Feed, options: AddOptions): Promise<Added> {
  try {
    return await (options.onlyHash ? hashOnly(body, options) : importAndKeep(context, address, body, options))
  } catch (error) {
    throw toUploadError(error)
  }
}

async function importAndKeep(context: Context, address: string, body: Feed, options: AddOptions): Promise<Added> {
  const { held } = options
  const meter = held?.meter ?? openQuotaMeter(context, address)
  try {
    const writer = context.packs.begin()
    try {
      const { parts, built } = await importBody(body, options, writer.sink, meter)
      const added = toAnswer(built)
      const uploads = await toUploads(parts, built, options)
      await keepPack(context, address, writer, meter, uploads, (trx) => held?.record(trx, added.roots))
      return added
    } catch (error) {
      await giveUp(context, 'abort the pack', () => writer.abort())
      throw error
    }
  } catch (error) {
    if (held === undefined) await giveUp(context, 'give back the reservation', () => meter.release())
    throw error
  }
}

async function hashOnly(body: Feed, options: AddOptions): Promise<Added> {
  const { built } = await importBody(body, options, { put: () => undefined }, undefined)
  return toAnswer(built)
}

async function importBody(
  body: Feed,
  options: AddOptions,
  sink: BlockSink,
  meter: QuotaMeter | undefined,
): Promise<{ parts: ImportedParts; built: UploadRoots }> {
  const { boundary, bodyBytes, profile, isKubo } = options
  const parts = await importParts(body, {
    boundary,
    profile,
    isKubo,
    sink,
    takeBytes: (sizeBytes) => meter?.take(sizeBytes),
    expectFrom: async (offset) => {
      // What follows the last part is a delimiter between line breaks.
      if (bodyBytes !== undefined) await meter?.expect(bodyBytes - offset - boundary.length - 8)
    },
  })
  const importing: ImportOptions = { profile, hash: hashSha256, sink }
  return { parts, built: await buildRoots(parts, chooseShape(parts, options), importing) }
}

async function toUploads(parts: ImportedParts, { roots }: UploadRoots, options: AddOptions): Promise<UploadToKeep[]> {
  return Promise.all(
    roots.map(async ({ name, node, sizeBytes }, index) => {
      const isFile = node.kind !== 'directory'
      // Encrypted bytes tell nothing, and only the first file's beginning is kept.
      const start = options.encryption || index > 0 ? undefined : parts.start
      const mimeType = isFile ? (options.mimeType ?? (await findMimeType(name, start))) : null
      return {
        cid: node.cid,
        name: name || node.cid.toString(),
        mimeType,
        sizeBytes,
        dagSizeBytes: node.dagSizeBytes,
        encryption: options.encryption,
        storageType: options.storageType ?? null,
        kind: isFile ? 'file' : 'directory',
      } satisfies UploadToKeep
    }),
  )
}

/** A folder that only wraps has no name; a listing needs one, so that its CID is told instead. */
function toAnswer({ roots, entries }: UploadRoots): Added {
  const answers = roots.map(({ name, node }) => {
    const hash = node.cid.toString()
    return { Name: name || hash, Hash: hash, Size: String(node.dagSizeBytes) }
  })
  return { roots: answers, entries }
}
