import { CairnError, KIB, type Uploaded } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import type { PartHead } from '../multipart/part-head.ts'
import { type Feed, readMultipart } from '../multipart/read-multipart.ts'
import type { HeldUpload } from './add-files.ts'
import { createDagIndex, type DagIndex } from './dag-index.ts'
import { giveUp } from './give-up.ts'
import { toUploadError } from './import-errors.ts'
import { keepPack, type UploadToKeep } from './keep-pack.ts'
import { findMimeType } from './mime-type.ts'
import { createPartStream } from './part-stream.ts'
import { openQuotaMeter, type QuotaMeter } from './quota-meter.ts'
import { completeDag, type TakenCar, takeCar } from './take-car.ts'
import { readUploadPath } from './upload-path.ts'

/** How a CAR is imported. */
export type ImportCarOptions = {
  boundary: string
  /** Length of the body where it was told, in bytes. */
  bodyBytes: number | undefined
  isKubo: boolean
  storageType: string | undefined
  /** Type of the single file that the CAR holds; without it, the name tells. */
  mimeType?: string | undefined
  /** Whether the client encrypted the content. */
  encryption?: boolean
  signal: AbortSignal
  /** Of an upload that holds its room already. */
  held?: HeldUpload
}

/** What a CAR came to: its roots as answers, and how many blocks were read. */
export type ImportedCar = { roots: Uploaded[]; blockCount: number; blockBytes: number }

/** Memory of one CAR: its name and its list of roots; each root is a block, and counted as one besides. */
const carMemoryBytes = 4 * KIB

/** Name, and the CAR behind it. */
type NamedCar = TakenCar & { name: string }

/**
 * Imports the CARs of a multipart body and keeps what their roots reach: each block verified, every link resolved, sizes
 * held to what the blocks are. What is charged for a root is the bytes of its files, as for an upload of the same files;
 * blocks that no root reaches are charged with the first.
 *
 * @throws CairnError INVALID_CAR, BLOCK_HASH_MISMATCH, INCOMPLETE_DAG, DAG_TOO_DEEP, UNSUPPORTED_CODEC, NO_FILE, and as
 * `addFiles`
 */
export async function importCar(
  context: Context,
  address: string,
  body: Feed,
  options: ImportCarOptions,
): Promise<ImportedCar> {
  try {
    const meter = options.held?.meter ?? openQuotaMeter(context, address)
    try {
      return await importAndKeep(context, address, body, options, meter)
    } catch (error) {
      if (options.held === undefined) await giveUp(context, 'give back the reservation', () => meter.release())
      throw error
    }
  } catch (error) {
    throw toUploadError(error)
  }
}

async function importAndKeep(
  context: Context,
  address: string,
  body: Feed,
  { boundary, bodyBytes, isKubo, storageType, mimeType, encryption = false, signal, held }: ImportCarOptions,
  meter: QuotaMeter,
): Promise<ImportedCar> {
  const writer = context.packs.begin()
  const memory = context.partMemory.open('DAG_TOO_DEEP')
  try {
    const index = createDagIndex(memory.acquire)
    const cars: NamedCar[] = []
    // A little more than will be charged, for frames and headers are not.
    if (bodyBytes !== undefined) await meter.expect(bodyBytes)
    await readMultipart(body, boundary, (head: PartHead) => {
      memory.acquire(carMemoryBytes)
      const name = nameOfCar(head, isKubo)
      const taking = { index, writer, takeBytes: meter.take }
      const stream = createPartStream(async () => {
        cars.push({ name, ...(await reading) })
      })
      const reading = takeCar(stream.pieces, taking)
      // It is waited for at the end of the part; until then its failure must not count as unhandled.
      reading.catch(() => undefined)
      return stream.sink
    })
    if (cars.length === 0) throw new CairnError('NO_FILE')
    const roots = nameRoots(cars)
    const cids = roots.map(({ cid }) => cid)
    await completeDag(cids, index, writer, context.packs, signal)
    const uploads = await measureRoots(roots, index, { storageType: storageType ?? null, mimeType, encryption })
    const chargedBytes = uploads.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    if (chargedBytes > meter.takenBytes) await meter.take(chargedBytes - meter.takenBytes)
    const answers = uploads.map(({ name, cid, dagSizeBytes }) => ({
      Name: name,
      Hash: cid.toString(),
      Size: String(dagSizeBytes),
    }))
    await keepPack(context, address, writer, meter, uploads, (trx) => held?.record(trx, answers))
    return {
      roots: answers,
      blockCount: cars.reduce((sum, { blockCount }) => sum + blockCount, 0),
      blockBytes: cars.reduce((sum, { blockBytes }) => sum + blockBytes, 0),
    }
  } catch (error) {
    await giveUp(context, 'abort the pack', () => writer.abort())
    throw error
  } finally {
    memory.release()
  }
}

/** The file's name without its ending; Kubo's clients send none. */
function nameOfCar(head: PartHead, isKubo: boolean): string {
  const name = readUploadPath(head.fileName === 'blob' ? undefined : head.fileName, isKubo).at(-1) ?? ''
  return name.replace(/\.car$/i, '')
}

/** All roots of all CARs, each once. @throws CairnError INVALID_CAR where there is none */
function nameRoots(cars: readonly NamedCar[]): { cid: CID; name: string }[] {
  const roots = new Map<string, { cid: CID; name: string }>()
  for (const car of cars) {
    for (const cid of car.roots) {
      const text = cid.toString()
      // One name cannot tell several roots apart.
      if (!roots.has(text)) roots.set(text, { cid, name: car.roots.length === 1 && car.name !== '' ? car.name : text })
    }
  }
  if (roots.size === 0) throw new CairnError('INVALID_CAR', { message: 'The CAR names no root' })
  return [...roots.values()]
}

/** What is listed and charged for each root. */
export async function measureRoots(
  roots: readonly { cid: CID; name: string }[],
  index: DagIndex,
  marks: { storageType: string | null; mimeType?: string | undefined; encryption?: boolean },
): Promise<UploadToKeep[]> {
  const uploads: UploadToKeep[] = []
  let unreachedBytes = index.unreachedBytes()
  for (const { cid, name } of roots) {
    const { contentBytes, dagSizeBytes, kind } = index.measure(cid)
    const isFile = kind === 'file' || kind === 'raw'
    uploads.push({
      cid,
      name,
      mimeType: isFile ? (marks.mimeType ?? (await findMimeType(name, undefined))) : null,
      sizeBytes: contentBytes + unreachedBytes,
      dagSizeBytes,
      encryption: marks.encryption ?? false,
      storageType: marks.storageType,
      kind: 'car',
    })
    unreachedBytes = 0
  }
  return uploads
}
