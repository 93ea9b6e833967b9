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
import { findMimeType, mimeTypeByName } from './mime-type.ts'
import type { UploadMemory } from './part-memory.ts'
import { openQuotaMeter, type QuotaMeter } from './quota-meter.ts'

/** How files are added. */
export type AddOptions = {
  /** Of the multipart body. */
  boundary: string
  /** Length of the body where it was told, in bytes. */
  bodyBytes: number | undefined
  profile: ImportProfile
  wrap: boolean
  /** Whether folders without anything in them are kept. Defaults to true. */
  keepsEmptyFolders?: boolean
  /** Computes CIDs and stores nothing. */
  onlyHash: boolean
  isKubo: boolean
  encryption: boolean
  /** Overrides what is found out. */
  mimeType: string | undefined
  storageType: string | undefined
  /**
   * Counts the memory of names and parts. A caller that writes its answer from them passes it, and releases it after
   * that; a call that fails has released it.
   */
  memory?: UploadMemory
  /** Of an upload that holds its room already. */
  held?: HeldUpload
}

/** An upload whose room is held by somebody else, who also gives it back, and who records what came of it. */
export type HeldUpload = { meter: QuotaMeter; record(trx: Kysely<Schema>, roots: Uploaded[]): Promise<void> }

/** What was added: the roots as answers, and every entry in Kubo's order. */
export type Added = { roots: Uploaded[]; entries: Iterable<UploadEntry> }

/** Memory of each root of an upload until it is recorded and answered. */
const rootMemoryBytes = 512

/**
 * Imports a multipart body in one pass and keeps it: durable when the promise resolves. If anything fails, or
 * the client goes away, nothing of it is left.
 *
 * @throws CairnError QUOTA_EXCEEDED (before the body is read, or while it streams), INVALID_MULTIPART, NO_FILE,
 * INVALID_PATH, DUPLICATE_NAME, TOO_MANY_PARTS, OVERLOADED, HEADER_TOO_LARGE, REQUEST_TIMEOUT, STORAGE_FULL, STORAGE_FAILED,
 * CONFLICT
 */
export async function addFiles(context: Context, address: string, body: Feed, options: AddOptions): Promise<Added> {
  const memory = options.memory ?? context.partMemory.open('TOO_MANY_PARTS')
  const counted = { ...options, memory }
  try {
    const added = await (options.onlyHash ? hashOnly(body, counted) : importAndKeep(context, address, body, counted))
    if (options.memory === undefined) memory.release()
    return added
  } catch (error) {
    memory.release()
    throw toUploadError(error)
  }
}

type CountedOptions = AddOptions & { memory: UploadMemory }

async function importAndKeep(context: Context, address: string, body: Feed, options: CountedOptions): Promise<Added> {
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

async function hashOnly(body: Feed, options: CountedOptions): Promise<Added> {
  const { built } = await importBody(body, options, { put: () => undefined }, undefined)
  return toAnswer(built)
}

async function importBody(
  body: Feed,
  options: CountedOptions,
  sink: BlockSink,
  meter: QuotaMeter | undefined,
): Promise<{ parts: ImportedParts; built: UploadRoots }> {
  const { boundary, bodyBytes, profile, isKubo, wrap, keepsEmptyFolders = true, memory } = options
  const parts = await importParts(body, {
    boundary,
    profile,
    isKubo,
    wrap,
    keepsEmptyFolders,
    sink,
    takeBytes: (sizeBytes) => meter?.take(sizeBytes),
    acquireMemory: memory.acquire,
    expectFrom: async (offset) => {
      // What follows the last part is a delimiter between line breaks.
      if (bodyBytes !== undefined) await meter?.expect(bodyBytes - offset - boundary.length - 8)
    },
  })
  const importing: ImportOptions = { profile, hash: hashSha256, sink }
  const built = await buildRoots(parts, chooseShape(parts, options), importing)
  memory.acquire(rootMemoryBytes * built.rootCount)
  return { parts, built }
}

/** What is to be kept of each root, made when it is asked for: it can be asked for again. */
async function toUploads(
  { start }: ImportedParts,
  { roots }: UploadRoots,
  options: AddOptions,
): Promise<Iterable<UploadToKeep>> {
  const [first] = roots()
  // Encrypted bytes tell nothing, and only the first file's beginning is kept.
  const firstType = await findMimeType(first?.name ?? '', options.encryption ? undefined : start)
  const typeOf = (name: string, index: number) => (index === 0 ? firstType : mimeTypeByName(name))
  return {
    *[Symbol.iterator]() {
      let index = 0
      for (const { name, node, sizeBytes } of roots()) {
        const isFile = node.kind !== 'directory'
        yield {
          cid: node.cid,
          name: name || node.cid.toString(),
          mimeType: isFile ? (options.mimeType ?? typeOf(name, index)) : null,
          sizeBytes,
          dagSizeBytes: node.dagSizeBytes,
          encryption: options.encryption,
          storageType: options.storageType ?? null,
          kind: isFile ? 'file' : 'directory',
        } satisfies UploadToKeep
        index++
      }
    },
  }
}

/** A folder that only wraps has no name; a listing needs one, so that its CID is told instead. */
function toAnswer({ roots, entries }: UploadRoots): Added {
  const answers = Array.from(roots(), ({ name, node }) => {
    const hash = node.cid.toString()
    return { Name: name || hash, Hash: hash, Size: String(node.dagSizeBytes) }
  })
  return { roots: answers, entries: { [Symbol.iterator]: entries } }
}
