import { CairnError } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import type { PackWriter } from '../packs/packs.ts'
import { readUploadPath } from '../uploads/upload-path.ts'
import {
  completeDag,
  createDagIndex,
  giveUp,
  keepPack,
  measureRoots,
  openQuotaMeter,
  type QuotaMeter,
  takeCar,
  toUploadError,
  type UploadToKeep,
} from '../uploads/uploads.ts'
import { fetchCar } from './fetch-car.ts'

/** What was pinned. */
export type Pinned = { id: string; cid: string; fileName: string; sizeBytes: number }

/**
 * Keeps a CID for an account: at once where all its blocks are here, else fetched as a CAR from the gateways the operator
 * configured, in their order, each block verified.
 *
 * @throws CairnError BLOCK_NOT_FOUND where nobody has it, INVALID_PATH, QUOTA_EXCEEDED, UPSTREAM_FAILED,
 * BLOCK_HASH_MISMATCH, INCOMPLETE_DAG, DAG_TOO_DEEP, UNSUPPORTED_CODEC, STORAGE_FULL, STORAGE_FAILED, CONFLICT
 */
export async function pinCid(
  context: Context,
  address: string,
  cid: CID,
  fileName: string | undefined,
  signal: AbortSignal,
): Promise<Pinned> {
  const name = readUploadPath(fileName).join('/') || cid.toString()
  let last: CairnError = new CairnError('BLOCK_NOT_FOUND')
  for (const [position, gateway] of [undefined, ...context.config.pinGateways].entries()) {
    signal.throwIfAborted()
    try {
      return await keepFrom(context, address, { cid, name }, gateway, signal)
    } catch (thrown) {
      const error = toUploadError(thrown)
      if (!isOfThisSource(error)) throw error
      if (gateway === undefined || CairnError.is(error, 'BLOCK_NOT_FOUND')) continue
      const about = { gateway: position - 1, cid: cid.toString() }
      context.failures.failed(`pin ${position}`, error, 'a gateway could not give a pin', about)
      last = blameGateway(gateway, error)
    }
  }
  throw last
}

/** Whether another source may do better. */
function isOfThisSource(error: unknown): error is CairnError {
  const codes = ['BLOCK_NOT_FOUND', 'UPSTREAM_FAILED', 'INCOMPLETE_DAG', 'INVALID_CAR', 'BLOCK_HASH_MISMATCH'] as const
  return codes.some((code) => CairnError.is(error, code))
}

/** A gateway that sends what does not fit is at fault, not the caller. */
function blameGateway(gateway: string, error: CairnError): CairnError {
  if (error.code === 'UPSTREAM_FAILED') return error
  const { host } = new URL(gateway)
  const message = `The gateway ${host} sent something else: ${error.message}`
  return new CairnError('UPSTREAM_FAILED', { message, details: { host }, cause: error })
}

/** Takes the DAG from one source, the packs alone where none is named, and records it. */
async function keepFrom(
  context: Context,
  address: string,
  root: { cid: CID; name: string },
  gateway: string | undefined,
  signal: AbortSignal,
): Promise<Pinned> {
  const meter = openQuotaMeter(context, address)
  const writer = context.packs.begin()
  const memory = context.partMemory.open('DAG_TOO_DEEP')
  try {
    const index = createDagIndex(memory.acquire)
    if (gateway !== undefined) {
      await takeCar(fetchCar(gateway, root.cid, signal), { index, writer, takeBytes: meter.take })
    }
    await completeDag([root.cid], index, writer, context.packs, signal)
    // Blocks that nobody asked for cannot come out of a pack again; a gateway that sends some is not to be trusted.
    if (index.unreachedBytes() > 0)
      throw new CairnError('INVALID_CAR', { message: 'The CAR has blocks beside the DAG' })
    const uploads = await measureRoots([root], index, { storageType: null })
    return await keep(context, address, writer, meter, uploads)
  } catch (error) {
    await giveUp(context, 'abort the pack', () => writer.abort())
    await giveUp(context, 'give back the reservation', () => meter.release())
    throw error
  } finally {
    memory.release()
  }
}

async function keep(
  context: Context,
  address: string,
  writer: PackWriter,
  meter: QuotaMeter,
  uploads: readonly UploadToKeep[],
): Promise<Pinned> {
  const [upload] = uploads
  if (upload === undefined) throw new CairnError('INTERNAL')
  if (upload.sizeBytes > meter.takenBytes) await meter.take(upload.sizeBytes - meter.takenBytes)
  const [id = ''] = await keepPack(context, address, writer, meter, uploads)
  return { id, cid: upload.cid.toString(), fileName: upload.name, sizeBytes: upload.sizeBytes }
}
