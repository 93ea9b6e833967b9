import type { Uploaded } from '@cairn/protocol'
import { type BlockSink, createAnnotator, type ImportOptions } from '@cairn/unixfs'
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Feed } from '../multipart/read-multipart.ts'
import { hashSha256 } from '../packs/packs.ts'
import type { UploadMemory } from '../resources/part-memory.ts'
import { visitInTurns } from '../resources/yield-to-others.ts'
import { buildRoots, chooseShape, type UploadEntry, type UploadRoots } from './build-roots.ts'
import { chargeOf } from './charge-of.ts'
import { toUploadError } from './import-errors.ts'
import { type BegunImport, type ImportedParts, importParts } from './import-parts.ts'
import { keepPack, type LockFirst, type UploadToKeep } from './keep-pack.ts'
import { findMimeType, mimeTypeByName } from './mime-type.ts'
import type { MetadataRequest } from './node-metadata.ts'
import { multipartSource, type PartSource } from './part-source.ts'
import type { QuotaMeter } from './quota-meter.ts'
import type { UploadSettings } from './upload-settings.ts'
import { withPack } from './with-pack.ts'

/** Options for the parts of an upload. */
export type AddPartsOptions = UploadSettings & {
  /** Computes CIDs and stores nothing. */
  onlyHash: boolean
  isKubo: boolean
  /** Which modes and times to store. Defaults to none. */
  metadata?: MetadataRequest | undefined
  /**
   * Counts the memory of names and parts. A caller that writes its answer from them passes its own and releases it
   * afterwards; a failed call has already released it.
   */
  memory?: UploadMemory
  /** Set for an upload whose quota is already reserved. */
  held?: HeldUpload
  /** Set for a single file whose first bytes are already imported: the source has the rest. */
  begun?: BegunFile
  /** With which the client can repeat the request: the row of the first root gets it. */
  idempotencyKey?: Uint8Array | undefined
  /** Name of the upload in listings, if it differs from that of its root. */
  listedName?: string
  /** Required if `record` locks rows that other units of work lock before the account. */
  lock?: LockFirst
  /** Records additional rows in the unit of work of the upload. Receives the CID and row id of each root, in order. */
  record?(trx: Kysely<Schema>, roots: readonly RecordedRoot[]): Promise<void>
}

/** Options for the files of a multipart body. */
export type AddOptions = AddPartsOptions & {
  boundary: string
  /** Length of the body in bytes; undefined when unknown. */
  bodyBytes: number | undefined
}

/** A file whose first bytes are imported, and the packs with their blocks. */
export type BegunFile = BegunImport & { packIds: readonly bigint[] }

/** A root with its row id. */
export type RecordedRoot = { uploadId: string; cid: string; sizeBytes: number }

/**
 * An upload whose quota another component reserves, releases and settles. `record` runs in the unit of work of the
 * upload.
 */
export type HeldUpload = {
  meter: QuotaMeter
  /** The upload link that it comes through. */
  uploadLink?: string | undefined
  record(trx: Kysely<Schema>, roots: Uploaded[]): Promise<void>
}

/** Result of an upload: the roots as answers, and every entry in Kubo's order. */
export type Added = { roots: Uploaded[]; entries: Iterable<UploadEntry> }

/** Memory per root of an upload until it is recorded and answered. */
const rootMemoryBytes = 512

/** Adds the files of a multipart body. @throws CairnError as {@link addParts}; INVALID_MULTIPART, NO_FILE, HEADER_TOO_LARGE */
export function addFiles(context: Context, address: string, body: Feed, options: AddOptions): Promise<Added> {
  return addParts(context, address, multipartSource(body, options.boundary, options.bodyBytes), options)
}

/**
 * Imports the parts of an upload in one pass and keeps them: durable when the promise resolves. If anything fails, or
 * the client disconnects, nothing of it remains.
 *
 * @throws CairnError QUOTA_EXCEEDED (before the body is read, or while it streams),
 * INVALID_PATH, DUPLICATE_NAME, TOO_MANY_PARTS, OVERLOADED, REQUEST_TIMEOUT, STORAGE_FULL, STORAGE_FAILED,
 * CONFLICT
 */
export async function addParts(
  context: Context,
  address: string,
  source: PartSource,
  options: AddPartsOptions,
): Promise<Added> {
  const memory = options.memory ?? context.partMemory.open('TOO_MANY_PARTS')
  const counted = { ...options, memory }
  try {
    const added = await (options.onlyHash
      ? hashOnly(source, counted)
      : importAndKeep(context, address, source, counted))
    if (options.memory === undefined) memory.release()
    return added
  } catch (error) {
    memory.release()
    throw toUploadError(error)
  }
}

type CountedOptions = AddPartsOptions & { memory: UploadMemory }

function importAndKeep(context: Context, address: string, source: PartSource, options: CountedOptions): Promise<Added> {
  const { held, lock, record, begun, isPrivate } = options
  const pack = { heldMeter: held?.meter, dependsOn: begun?.packIds, isPrivate }
  return withPack(context, address, pack, async (writer, meter) => {
    const { parts, built } = await importSource(source, options, writer.sink, meter)
    const added = await toAnswer(built)
    const uploads = await toUploads(parts, built, options)
    const recordMore = async (trx: Kysely<Schema>, ids: readonly string[]) => {
      await held?.record(trx, added.roots)
      await record?.(
        trx,
        Array.from(uploads, ({ cid, sizeBytes }, at) => ({
          uploadId: ids[at] ?? '',
          cid: cid.toString(),
          sizeBytes,
        })),
      )
    }
    await keepPack(context, { address, writer, meter, uploads, record: recordMore, lock })
    return added
  })
}

async function hashOnly(source: PartSource, options: CountedOptions): Promise<Added> {
  const { built } = await importSource(source, options, { put: () => undefined }, undefined)
  return toAnswer(built)
}

async function importSource(
  source: PartSource,
  options: CountedOptions,
  sink: BlockSink,
  meter: QuotaMeter | undefined,
): Promise<{ parts: ImportedParts; built: UploadRoots }> {
  const { profile, isKubo, wrap, keepsEmptyFolders, memory, begun, metadata: request } = options
  const annotator = request && createAnnotator(sink, profile.cidVersion, hashSha256)
  const parts = await importParts(source, {
    profile,
    isKubo,
    wrap,
    keepsEmptyFolders,
    // Encrypted bytes reveal no type.
    keepsStart: options.mimeType === undefined && !options.encryption,
    sink: annotator?.sink ?? sink,
    metadata: annotator && { request, annotate: annotator.annotate },
    begun,
    acquireQuota: (sizeBytes) => meter?.take(sizeBytes),
    acquireMemory: memory.acquire,
    expectBytes: async (sizeBytes) => meter?.expect(sizeBytes),
  })
  const importing: ImportOptions = { profile, hash: hashSha256, sink: annotator?.sink ?? sink }
  const built = await buildRoots(parts, chooseShape(parts, options), importing, annotator?.annotate)
  await annotator?.flush()
  memory.acquire(rootMemoryBytes * built.rootCount)
  return { parts, built }
}

/** Returns what to keep of each root. Rows are created on iteration, which may be repeated. */
async function toUploads(
  { start }: ImportedParts,
  { roots, rootCount }: UploadRoots,
  options: AddPartsOptions,
): Promise<Iterable<UploadToKeep>> {
  const firstType = options.mimeType === undefined ? await findMimeType(roots().next().value?.name ?? '', start) : null
  const typeOf = (name: string, index: number) => (index === 0 ? firstType : mimeTypeByName(name))
  const uploads: Iterable<UploadToKeep> = {
    *[Symbol.iterator]() {
      let index = 0
      for (const { name, node, sizeBytes } of roots()) {
        const isFile = node.kind !== 'directory'
        const idempotencyKey = index === 0 ? options.idempotencyKey : undefined
        yield {
          cid: node.cid,
          name: options.listedName ?? (name || node.cid.toString()),
          mimeType: isFile ? (options.mimeType ?? typeOf(name, index)) : null,
          sizeBytes: chargeOf({ contentBytes: sizeBytes, dagSizeBytes: node.dagSizeBytes }),
          dagSizeBytes: node.dagSizeBytes,
          encryption: options.encryption,
          storageType: options.storageType ?? null,
          kind: isFile ? 'file' : 'directory',
          announce: options.announce,
          isPrivate: options.isPrivate,
          idempotencyKey,
          uploadLink: options.held?.uploadLink,
        } satisfies UploadToKeep
        index++
      }
    },
  }
  // As `buildRoots`: one is asked for several times, many would need memory.
  return rootCount === 1 ? [...uploads] : uploads
}

/** A wrapping folder has no name. Listings need one, so its CID is used. */
async function toAnswer({ roots, entries }: UploadRoots): Promise<Added> {
  const answers: Uploaded[] = []
  await visitInTurns(roots(), ({ name, node }) => {
    const hash = node.cid.toString()
    answers.push({ Name: name || hash, Hash: hash, Size: String(node.dagSizeBytes) })
  })
  return { roots: answers, entries: { [Symbol.iterator]: entries } }
}
