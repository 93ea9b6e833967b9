import { CairnError, KIB, type Uploaded } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import { readUploadPath } from '../content/upload-path.ts'
import type { Context } from '../context.ts'
import type { UploadMemory } from '../resources/part-memory.ts'
import type { HeldUpload } from './add-files.ts'
import { chargeOf } from './charge-of.ts'
import { createDagIndex, type DagIndex } from './dag-index.ts'
import { type CarContent, completeDag, importCarBlocks } from './import-car-blocks.ts'
import { toUploadError } from './import-errors.ts'
import { keepPack, type UploadToKeep } from './keep-pack.ts'
import { findMimeType } from './mime-type.ts'
import type { PartSource, SourcePart } from './part-source.ts'
import { createPartStream } from './part-stream.ts'
import type { UploadSettings } from './upload-settings.ts'
import { withPack } from './with-pack.ts'

/** Options of a CAR import. */
export type ImportCarOptions = Omit<UploadSettings, 'profile' | 'wrap' | 'keepsEmptyFolders'> & {
  isKubo: boolean
  signal: AbortSignal
  /** With which the client can repeat the request: the row of the first root gets it. */
  idempotencyKey?: Uint8Array | undefined
  /** Set for an upload whose quota is already reserved. */
  held?: HeldUpload
}

/** Result of a CAR import: its roots as answers, and the number and bytes of the blocks read. */
export type ImportedCar = { roots: Uploaded[]; blockCount: number; blockBytes: number }

/** Memory per CAR, for its name and list of roots. Each root also counts as a block. */
const carMemoryBytes = 4 * KIB

/** A CAR and its name. */
type NamedCar = CarContent & { name: string }

/**
 * Imports the CARs of an upload and keeps the blocks that their roots reach. Verifies each block, resolves every link, and
 * checks declared sizes. A root is charged like an upload of the same files, see {@link chargeOf}; the first root is also
 * charged for blocks that no root reaches. A private CAR has all of its blocks: others are not counted as stored.
 *
 * @throws CairnError INVALID_CAR, BLOCK_HASH_MISMATCH, INCOMPLETE_DAG, DAG_TOO_DEEP, UNSUPPORTED_CODEC, NO_FILE, and
 * the codes of `addFiles`
 */
export async function importCar(
  context: Context,
  address: string,
  parts: PartSource,
  options: ImportCarOptions,
): Promise<ImportedCar> {
  const memory = context.partMemory.open('DAG_TOO_DEEP')
  try {
    return await importAndKeep(context, address, parts, options, memory)
  } catch (error) {
    throw toUploadError(error)
  } finally {
    memory.release()
  }
}

function importAndKeep(
  context: Context,
  address: string,
  parts: PartSource,
  { isKubo, storageType, mimeType, encryption, announce, isPrivate, signal, held, idempotencyKey }: ImportCarOptions,
  memory: UploadMemory,
): Promise<ImportedCar> {
  const index = createDagIndex(memory.acquire)
  return withPack(context, address, { heldMeter: held?.meter, isPrivate }, async (writer, meter) => {
    const cars: NamedCar[] = []
    await parts(async (part) => {
      // Slightly more than the final charge, which excludes frames and headers.
      if (cars.length === 0 && part.remainingBytes !== undefined) await meter.expect(part.remainingBytes)
      memory.acquire(carMemoryBytes)
      const name = nameOfCar(part, isKubo)
      const taking = { index, writer, acquireQuota: meter.take }
      const stream = createPartStream(async () => {
        cars.push({ name, ...(await reading) })
      })
      const reading = importCarBlocks(stream.pieces, taking)
      // The end of the part awaits this promise; until then its rejection must not count as unhandled.
      reading.catch(() => undefined)
      return stream.sink
    })
    if (cars.length === 0) throw new CairnError('NO_FILE')
    const roots = nameRoots(cars)
    const cids = roots.map(({ cid }) => cid)
    await completeDag(cids, index, writer, context.packs, signal)
    const uploads = await measureRoots(roots, index, {
      storageType: storageType ?? null,
      mimeType,
      encryption,
      announce,
      isPrivate,
    })
    const answers = uploads.map(({ name, cid, dagSizeBytes }) => ({
      Name: name,
      Hash: cid.toString(),
      Size: String(dagSizeBytes),
    }))
    const [first, ...others] = uploads
    const keyed = first === undefined ? [] : [{ ...first, idempotencyKey }, ...others]
    await keepPack(context, { address, writer, meter, uploads: keyed, record: (trx) => held?.record(trx, answers) })
    return {
      roots: answers,
      blockCount: cars.reduce((sum, { blockCount }) => sum + blockCount, 0),
      blockBytes: cars.reduce((sum, { blockBytes }) => sum + blockBytes, 0),
    }
  })
}

/** Returns the file name without its extension. Kubo's clients send no name. */
function nameOfCar(head: SourcePart, isKubo: boolean): string {
  const name = readUploadPath(head.fileName === 'blob' ? undefined : head.fileName, isKubo).at(-1) ?? ''
  return name.replace(/\.car$/i, '')
}

/** Lists all roots of all CARs, each once. @throws CairnError INVALID_CAR when there is none */
function nameRoots(cars: readonly NamedCar[]): { cid: CID; name: string }[] {
  const roots = new Map<string, { cid: CID; name: string }>()
  for (const car of cars) {
    for (const cid of car.roots) {
      const text = cid.toString()
      // Several roots cannot share one name.
      if (!roots.has(text)) roots.set(text, { cid, name: car.roots.length === 1 && car.name !== '' ? car.name : text })
    }
  }
  if (roots.size === 0) {
    throw new CairnError('INVALID_CAR', {
      message: 'The CAR has no root, so no upload would contain its blocks',
      hint: 'Name the roots in its header, or send each block with block/put.',
    })
  }
  return [...roots.values()]
}

/** Returns the listing and charge of each root. */
export async function measureRoots(
  roots: readonly { cid: CID; name: string }[],
  index: DagIndex,
  marks: Pick<UploadToKeep, 'storageType' | 'announce' | 'isPrivate'> & {
    mimeType?: string | undefined
    encryption?: boolean
  },
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
      sizeBytes: chargeOf({ contentBytes, dagSizeBytes }) + unreachedBytes,
      dagSizeBytes,
      encryption: marks.encryption ?? false,
      storageType: marks.storageType,
      kind: 'car',
      announce: marks.announce,
      isPrivate: marks.isPrivate,
    })
    unreachedBytes = 0
  }
  return uploads
}
