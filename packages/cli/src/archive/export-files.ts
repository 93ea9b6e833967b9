import { existsSync } from 'node:fs'
import { rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { forEachOf } from '@cairn/protocol'
import { CairnError, type Client, downloadCar, getProofs, isAnyCid, listFiles } from '@cairn/sdk'
import { makeFolder } from '../state/make-folder.ts'
import { countOf } from '../text/count-of.ts'
import { collect } from './collect.ts'
import { type Export, maxParallel } from './export-context.ts'
import { archiveFormat, carPath, type FileRow, type Manifest, privateArchiveFormat } from './format.ts'
import type { ListWriter } from './list-file.ts'

/** CIDs of the account, and of those the ones whose content is in the export. */
export type ExportedContent = { listed: ReadonlySet<string>; stored: ReadonlySet<string> }

/** Writes the content of the account, the list of its files, and their proofs. */
export async function exportFiles(
  context: Export,
  files: ListWriter,
  proofs: ListWriter,
): Promise<Pick<Manifest, 'counts' | 'format'> & ExportedContent> {
  const { client, signal, onStep } = context
  const rows: FileRow[] = []
  for await (const entry of listFiles(client, {}, { signal })) {
    // Paths contain the CID.
    if (!isAnyCid(entry.cid)) throw new CairnError('UNEXPECTED_RESPONSE', { details: { missingFields: ['cid'] } })
    rows.push({
      cid: entry.cid,
      name: entry.fileName,
      mimeType: entry.mimeType,
      sizeBytes: Number(entry.fileSizeInBytes),
      createdAt: new Date(entry.createdAt).toISOString(),
      isEncrypted: entry.encryption,
      ...(entry.private ? { isPrivate: true } : {}),
      car: carPath(entry.cid),
    })
  }
  // Oldest first, the order in which an import must upload them; the drive orders those of one millisecond by CID.
  rows.reverse().sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.cid, b.cid))
  const listed = new Set(rows.map(({ cid }) => cid))
  const cids = new Set(listed)
  const open = new Set(rows.filter(({ isPrivate }) => !isPrivate).map(({ cid }) => cid))
  onStep(`${countOf(rows.length, 'file')}, ${cids.size} with distinct content`)
  const counts = { files: 0, cars: 0, bytes: 0 }
  await forEachOf(cids, maxParallel, async (cid) => {
    const bytes = await collect(context, 'file', cid, () => saveCar(context, cid))
    if (bytes === undefined) {
      cids.delete(cid)
      return
    }
    counts.cars++
    counts.bytes += bytes
    context.onBytes(counts.bytes)
    // No provider has private content.
    if (!open.has(cid)) return
    const found = await collect(context, 'proofs', cid, () => findProofs(client, cid, signal))
    if (found !== undefined && found !== null) await proofs.add({ cid, proofs: found })
  })
  for (const row of rows) {
    if (!cids.has(row.cid)) continue
    await files.add(row)
    counts.files++
  }
  const format = rows.some(({ isPrivate }) => isPrivate) ? privateArchiveFormat : archiveFormat
  return { counts, format, listed, stored: cids }
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Downloads the content of a CID, unless it exists: a CAR is renamed once all of it is verified and durable. */
async function saveCar({ client, folder, signal }: Export, cid: string): Promise<number> {
  const path = join(folder, carPath(cid))
  if (existsSync(path)) return (await stat(path)).size
  await makeFolder(dirname(path))
  const unfinished = `${path}.part`
  // Writes at most 512 KiB per call, unlike a stream with a large block.
  await writeFile(unfinished, downloadCar(client, cid, { signal }), { mode: 0o600, flush: true, signal })
  await rename(unfinished, path)
  return (await stat(path)).size
}

async function findProofs(client: Client, cid: string, signal: AbortSignal): Promise<unknown> {
  try {
    return await getProofs(client, cid, { signal })
  } catch (error) {
    if (CairnError.is(error, 'PROOF_NOT_FOUND') || CairnError.is(error, 'NOT_SUPPORTED')) return null
    throw error
  }
}
