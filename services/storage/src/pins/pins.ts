import { CairnError, restoreError } from '@cairn/protocol'
import { requireCodec, requireHashFunction } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { identityCode } from '../content/parse-cid.ts'
import { readUploadPath } from '../content/upload-path.ts'
import type { Context } from '../context.ts'
import {
  completeDag,
  createDagIndex,
  importBlock,
  importCarBlocks,
  keepPack,
  measureRoots,
  type RecordAlongside,
  toUploadError,
  withPack,
} from '../uploads/uploads.ts'
import { fetchBlock, fetchCar, hostOf } from './fetch-content.ts'
import { findMark } from './find-mark.ts'
import { listGateways, type PinSource } from './pin-sources.ts'

/** Result of pinning. */
export type Pinned = { id: string; cid: string; fileName: string; sizeBytes: number }

/** The content to store for an account, and the rows to record with it. */
export type PinRequest = {
  address: string
  cid: CID
  name: string
  /** Whether its owner says that it is encrypted. Defaults to what `findMark` finds. */
  isEncrypted?: boolean | undefined
  record?: RecordAlongside
  /** Ids of uploads that `record` deletes. */
  deletes?: readonly string[]
}

/**
 * Pins a CID for an account: immediately if all its blocks are stored here, otherwise as a CAR from the configured gateways,
 * in order. Verifies each block.
 *
 * @throws CairnError as {@link pinFromSources}, INVALID_PATH
 */
export function pinCid(
  context: Context,
  address: string,
  cid: CID,
  { fileName, isEncrypted }: { fileName?: string | undefined; isEncrypted?: boolean | undefined },
  signal: AbortSignal,
): Promise<Pinned> {
  requirePinnable(cid)
  const request = { address, cid, name: namePinned(cid, fileName), isEncrypted }
  return pinFromSources(context, request, listGateways(context.config), signal)
}

/**
 * Checks that content with this root can be stored.
 * @throws CairnError UNSUPPORTED_CODEC: its codec or hash function is not supported
 */
export function requirePinnable(cid: CID): void {
  try {
    requireCodec(cid)
    if (cid.multihash.code !== identityCode) requireHashFunction(cid)
  } catch (error) {
    throw toUploadError(error)
  }
}

/** Returns the name of a pin's upload. Defaults to the CID. @throws CairnError INVALID_PATH */
export function namePinned(cid: CID, name: string | undefined): string {
  return readUploadPath(name).join('/') || cid.toString()
}

/**
 * Stores a DAG for an account from the packs or, if blocks are missing there, from the first source that has it. Verifies each
 * block.
 *
 * @throws CairnError BLOCK_NOT_FOUND if no source has it, UPSTREAM_FAILED, ADDRESS_NOT_ALLOWED, QUOTA_EXCEEDED and other
 *   shortages, DAG_TOO_DEEP, UNSUPPORTED_CODEC, STORAGE_FULL, STORAGE_FAILED, CONFLICT
 */
export async function pinFromSources(
  context: Context,
  request: PinRequest,
  sources: readonly PinSource[],
  signal: AbortSignal,
): Promise<Pinned> {
  const failures: CairnError[] = []
  for (const [position, source] of [undefined, ...sources].entries()) {
    signal.throwIfAborted()
    try {
      return await pinFrom(context, request, source, signal)
    } catch (thrown) {
      const error = toUploadError(thrown)
      if (!isOfThisSource(error)) throw error
      if (source === undefined) continue
      if (!CairnError.is(error, 'BLOCK_NOT_FOUND')) {
        const about = { gateway: position - 1, cid: request.cid.toString() }
        context.failures.failed(`pin ${position}`, error, 'failed to fetch a pin from a gateway', about)
      }
      failures.push(blameSource(source, error))
    }
  }
  throw summarize(request.cid, failures)
}

const sourceErrors = [
  'BLOCK_NOT_FOUND',
  'ADDRESS_NOT_ALLOWED',
  'UPSTREAM_FAILED',
  'INCOMPLETE_DAG',
  'INVALID_CAR',
  'BLOCK_HASH_MISMATCH',
] as const

/** Returns whether another source may succeed. */
function isOfThisSource(error: unknown): error is CairnError {
  return sourceErrors.some((code) => CairnError.is(error, code))
}

/** Invalid data is an error of the gateway, not of the caller. */
function blameSource(source: PinSource, error: CairnError): CairnError {
  const isPlain = (['UPSTREAM_FAILED', 'BLOCK_NOT_FOUND', 'ADDRESS_NOT_ALLOWED'] as const).some(
    (code) => error.code === code,
  )
  if (isPlain) return error
  const host = hostOf(source)
  const message = `The gateway ${host} returned invalid data: ${error.message}`
  return new CairnError('UPSTREAM_FAILED', { message, details: { host }, cause: error })
}

/** Combines the errors of all sources. Errors that may be temporary take precedence. */
function summarize(cid: CID, failures: readonly CairnError[]): CairnError {
  const order = ['UPSTREAM_FAILED', 'BLOCK_NOT_FOUND', 'ADDRESS_NOT_ALLOWED'] as const
  const worst = order
    .map((code) => failures.find((failure) => failure.code === code))
    .find((failure) => failure !== undefined)
  if (worst === undefined)
    return new CairnError('BLOCK_NOT_FOUND', {
      message: 'The content is not stored on this service, which fetches pins from no gateway',
      hint: 'Upload it, or run `cairn import cids` with a gateway that has it.',
      details: { cid: cid.toString() },
    })
  const [only, ...others] = failures
  if (only !== undefined && others.length === 0) return only
  const messages = [...new Set(failures.map(({ message }) => message))]
  return restoreError(worst.code, {
    message: messages.join('; '),
    details: worst.details,
    cause: failures.at(-1),
  })
}

/** Stores the DAG from one source, or only from the packs if `source` is undefined, and records it. */
export async function pinFrom(
  context: Context,
  { address, cid, name, isEncrypted, record, deletes }: PinRequest,
  source: PinSource | undefined,
  signal: AbortSignal,
): Promise<Pinned> {
  const memory = context.partMemory.open('DAG_TOO_DEEP')
  try {
    return await withPack(context, address, {}, async (writer, meter) => {
      const index = createDagIndex(memory.acquire)
      const taking = { index, writer, acquireQuota: meter.take }
      if (source !== undefined) {
        try {
          await importCarBlocks(fetchCar(source, cid, signal), taking)
        } catch (error) {
          // A gateway without CARs may support single blocks.
          if (!CairnError.is(error, 'NOT_ACCEPTABLE')) throw error
        }
      }
      const takeMissing =
        source === undefined
          ? undefined
          : async (missing: CID) => importBlock(missing, await fetchBlock(source, missing, signal), taking)
      await completeDag([cid], index, writer, context.packs, signal, takeMissing)
      // Unrequested blocks cannot be removed from a pack again; a gateway that sends them is not trusted.
      if (index.unreachedBytes() > 0)
        throw new CairnError('INVALID_CAR', { message: 'The CAR has blocks outside the DAG' })
      // The newest upload of a CID tells clients whether to decrypt it, so a pin of encrypted content of the account is encrypted.
      const encryption = isEncrypted ?? (await findMark(context, address, cid, signal))
      const uploads = await measureRoots([{ cid, name }], index, { storageType: null, encryption })
      const [upload] = uploads
      if (upload === undefined) throw new CairnError('INTERNAL')
      const lock = async () => ({ deletes })
      const [id = ''] = await keepPack(context, { address, writer, meter, uploads, record, lock })
      return { id, cid: upload.cid.toString(), fileName: upload.name, sizeBytes: upload.sizeBytes }
    })
  } finally {
    memory.release()
  }
}
