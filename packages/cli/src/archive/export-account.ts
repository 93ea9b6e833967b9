import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  CairnError,
  type Client,
  downloadCar,
  findConditions,
  getKey,
  getProofs,
  listNames as listAccountNames,
  listFiles,
  listKeyFiles,
  listPayments,
  resolveName,
} from '@cairn/sdk'
import { forEachParallel } from './for-each-parallel.ts'
import {
  archiveFormat,
  carPath,
  type FileRow,
  keyRow,
  listPath,
  type Manifest,
  type Missing,
  parseManifest,
} from './format.ts'
import { type ListWriter, readList, unfinishedPath, writeList } from './list-file.ts'
import type { Seal } from './seal.ts'

/** Requests at a time: small files would otherwise wait for one another. */
const maxParallel = 8

export type ExportOptions = {
  /** Address of the account. */
  account: string
  /** Makes the seal for this archive; undefined leaves keys out. */
  createSeal: ((salt: string) => Seal) | undefined
  /** Finds the key of a name as PEM; undefined leaves the keys of names out. */
  findNameKey: ((name: string, keyHeld: 'service' | 'owner') => Promise<string | undefined>) | undefined
  signal: AbortSignal
  onStep(text: string): void
  onBytes(bytes: number): void
}

type Export = ExportOptions & { client: Client; folder: string; seal: Seal | undefined; missing: Missing[] }

/**
 * Exports everything an account has into a folder: content as verified CARs, names with their signed records, rights, sealed
 * file keys, payments and proofs. A call that was stopped resumes: content that is already there is not downloaded again.
 * What cannot be exported is listed in the manifest and does not stop the rest.
 * @throws CairnError FILE_EXISTS if the folder holds something else, FILE_UNREADABLE, and those of the account's lists
 */
export async function exportAccount(client: Client, folder: string, options: ExportOptions): Promise<Manifest> {
  const started = await openArchive(client, folder, options.account)
  const seal = options.createSeal?.(started.seal.salt)
  const context: Export = { ...options, client, folder, seal, missing: [] }
  const before = await readSealed(folder)
  const writers: ListWriter[] = []
  const begin = async (list: Parameters<typeof writeList>[1]) => {
    const writer = await writeList(folder, list)
    writers.push(writer)
    return writer
  }
  try {
    const counts = await exportFiles(context, await begin('files'), await begin('proofs'))
    const keys = await begin('keys')
    await exportRights(context, await begin('rights'), keys, before)
    await exportNames(context, await begin('names'), keys)
    const payments = await begin('payments')
    for await (const payment of listPayments(client, context)) await payments.add(payment)
    const lists = []
    for (const writer of writers.splice(0)) lists.push(await writer.finish())
    const completedAt = new Date().toISOString()
    const manifest = { ...started, completedAt, counts, lists, missing: context.missing }
    await writeManifest(folder, manifest)
    return manifest
  } finally {
    for (const writer of writers) await writer.close()
  }
}

/** The manifest of the archive that this call continues, or of a new one. */
async function openArchive({ network }: Client, folder: string, account: string): Promise<Manifest> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'manifest.json')
  if (existsSync(path)) {
    const kept = parseManifest(await readFile(path, 'utf8'), path)
    if (kept.account === account && kept.network.api === network.api) return kept
    throw new CairnError('FILE_EXISTS', {
      message: `${folder} holds the export of ${kept.account} at ${kept.network.api}`,
      hint: 'Choose another folder.',
    })
  }
  if ((await readdir(folder)).length > 0) {
    throw new CairnError('FILE_EXISTS', { message: `${folder} is not empty`, hint: 'Choose an empty or a new folder.' })
  }
  const manifest: Manifest = {
    format: archiveFormat,
    network: { name: network.name, api: network.api },
    account,
    startedAt: new Date().toISOString(),
    completedAt: null,
    seal: { scheme: 'eip191-hkdf-sha256-aes256gcm', salt: randomBytes(32).toString('hex') },
    counts: { files: 0, cars: 0, bytes: 0 },
    lists: [],
    missing: [],
  }
  await writeManifest(folder, manifest)
  return manifest
}

/** Writes the manifest whole or not at all. */
async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, 'manifest.json')
  const file = await open(`${path}.part`, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.part`, path)
}

async function exportFiles(context: Export, files: ListWriter, proofs: ListWriter): Promise<Manifest['counts']> {
  const { client, signal, onStep } = context
  const rows: FileRow[] = []
  for await (const entry of listFiles(client, {}, context)) {
    rows.push({
      cid: entry.cid,
      name: entry.fileName,
      mimeType: entry.mimeType,
      sizeBytes: Number(entry.fileSizeInBytes),
      createdAt: new Date(entry.createdAt).toISOString(),
      isEncrypted: entry.encryption,
      car: carPath(entry.cid),
    })
  }
  // Oldest first, the order in which an import has to upload them.
  rows.reverse()
  const cids = new Set(rows.map(({ cid }) => cid))
  onStep(`${rows.length} files, ${cids.size} with content of their own`)
  const counts = { files: 0, cars: 0, bytes: 0 }
  await forEachParallel(cids, maxParallel, async (cid) => {
    const bytes = await collect(context, 'file', cid, () => saveCar(context, cid))
    if (bytes === undefined) {
      cids.delete(cid)
      return
    }
    counts.cars++
    counts.bytes += bytes
    context.onBytes(counts.bytes)
    const found = await collect(context, 'proofs', cid, () => findProofs(client, cid, signal))
    if (found !== undefined && found !== null) await proofs.add({ cid, proofs: found })
  })
  for (const row of rows) {
    if (!cids.has(row.cid)) continue
    await files.add(row)
    counts.files++
  }
  return counts
}

/** Runs one part of the export. What fails is noted, unless the whole export was stopped. */
async function collect<T>(
  { missing, signal }: Export,
  kind: string,
  id: string,
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await run()
  } catch (cause) {
    const error = CairnError.from(cause)
    if (signal.aborted || error.code === 'ABORTED' || isDiskError(cause)) throw cause
    missing.push({ kind, id, code: error.code, message: error.message })
    return undefined
  }
}

/** A disk that is full or gone fails for every file: the export ends. */
function isDiskError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'path' in error
}

/** Downloads the content of a CID, unless it is there: a CAR gets its name when all of it is verified and durable. */
async function saveCar({ client, folder, signal }: Export, cid: string): Promise<number> {
  const path = join(folder, carPath(cid))
  if (existsSync(path)) return (await stat(path)).size
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const unfinished = `${path}.part`
  // It writes no more than 512 KiB in one call, which a stream would do with a large block.
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

/** Keys that an earlier, unfinished call sealed: no key node is asked for them again. */
async function readSealed(folder: string): Promise<Map<string, string>> {
  const known = new Map<string, string>()
  for (const path of [join(folder, listPath('keys')), unfinishedPath(folder, 'keys')]) {
    if (!existsSync(path)) continue
    try {
      for await (const row of readList(path, keyRow))
        if (row.kind === 'file key') known.set(row.cid, JSON.stringify(row))
    } catch (error) {
      // The last line of a call that was killed may be torn; the lines before it count.
      if (!CairnError.is(error, 'INVALID_ARCHIVE')) throw error
    }
  }
  return known
}

async function exportRights(
  context: Export,
  rights: ListWriter,
  keys: ListWriter,
  before: ReadonlyMap<string, string>,
): Promise<void> {
  const { client, seal, signal, onStep } = context
  if (seal === undefined || client.keySession === undefined) return
  onStep('File keys and rights')
  await forEachParallel(listKeyFiles(client, 'owner', { signal }), maxParallel, async (file) => {
    const { cid, owner, sharedTo, hasConditions, state } = file
    if (state === 'retired') return
    await collect(context, 'file key', cid, async () => {
      const conditions = hasConditions ? await findConditions(client, cid, { signal }) : undefined
      const known = before.get(cid)
      const sealed =
        known ??
        JSON.stringify({
          kind: 'file key',
          cid,
          sealed: seal.close((await getKey(client, cid, { signal })).masterKey, cid),
        })
      await keys.add(JSON.parse(sealed))
      await rights.add({
        cid,
        owner,
        sharedTo,
        conditions:
          conditions === undefined
            ? null
            : {
                conditions: [...conditions.conditions],
                ...(conditions.aggregator === undefined ? {} : { aggregator: conditions.aggregator }),
                ...(conditions.chainType === undefined ? {} : { chainType: conditions.chainType }),
              },
      })
    })
  })
}

async function exportNames(context: Export, names: ListWriter, keys: ListWriter): Promise<void> {
  const { client, seal, signal, findNameKey } = context
  for await (const { name, label, value, sequence, validUntil, keyHeld } of listAccountNames(client, { signal })) {
    const record =
      value === null
        ? undefined
        : await collect(
            context,
            'name',
            name,
            async () => (await resolveName(client, name, { recursive: false, signal })).records[0],
          )
    await names.add({
      name,
      label,
      value,
      sequence,
      validUntil: validUntil === null ? null : new Date(validUntil).toISOString(),
      record: record === undefined ? null : Buffer.from(record.bytes).toString('base64'),
    })
    if (findNameKey === undefined || seal === undefined) continue
    await collect(context, 'name key', name, async () => {
      const key = await findNameKey(name, keyHeld)
      if (key === undefined) throw new CairnError('NAME_KEY_WITH_OWNER')
      await keys.add({ kind: 'name key', name, sealed: seal.close(key, name) })
    })
  }
}
