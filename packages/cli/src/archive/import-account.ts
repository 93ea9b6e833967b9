import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { forEachOf } from '@cairn/protocol'
import {
  CairnError,
  type Client,
  getKey,
  importNameKey,
  listNames as listAccountNames,
  listFiles,
  listKeyFiles,
  type NameKey,
  openDrive,
  openExportedDrive,
  prepareKey,
  publishSigned,
  registerRecord,
  saveKey,
  uploadCar,
} from '@cairn/sdk'
import { countOf } from '../text/count-of.ts'
import { endingCodes } from '../uploads/ending-codes.ts'
import { renameUpload } from '../uploads/rename-upload.ts'
import { createUploadOrder, type Displaced } from '../uploads/upload-order.ts'
import { type Collecting, collect } from './collect.ts'
import {
  carPath,
  type DriveRow,
  driveRow,
  type FileRow,
  fileRow,
  type KeyRow,
  keyRow,
  type ListName,
  listPath,
  type Manifest,
  type Missing,
  type NameRow,
  nameRow,
  parseManifest,
  type RightsRow,
  rightsRow,
} from './format.ts'
import { hashFile, readList } from './list-file.ts'
import type { Seal } from './seal.ts'

/** Maximum number of concurrent uploads: sequential uploads are slow for small files. */
const maxParallel = 4

export type ImportOptions = {
  /** Opens the sealed keys; undefined if the archive has none. */
  createSeal: ((manifest: Manifest) => Seal) | undefined
  /** Stores the key of a name on this machine. Returns false if it is there already. */
  storeNameKey(key: NameKey, label: string | null): Promise<boolean>
  /** Whether plain content is announced to public indexers. */
  announce: boolean
  signal: AbortSignal
  onStep(text: string): void
  onBytes(bytes: number): void
}

/** Result of an import. */
export type ImportReport = {
  /** Uploaded by this call, and present before it. */
  uploaded: number
  present: number
  bytes: number
  fileKeys: number
  names: number
  /** Keys of names that this call stored on this machine. */
  nameKeys: number
  /** Names, folders and marks of the drive that this call added. */
  driveValues: number
  /** Items that could not be imported, with the reason. */
  missing: Missing[]
  displaced: Displaced[]
}

type Import = ImportOptions & Collecting & { client: Client; folder: string; report: ImportReport }

/**
 * Reads and validates the manifest of an exported account.
 * @throws CairnError FILE_UNREADABLE, INVALID_ARCHIVE
 */
export async function openExport(folder: string): Promise<Manifest> {
  const path = join(folder, 'manifest.json')
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    if (!existsSync(folder)) throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${folder}`, cause })
    throw new CairnError('INVALID_ARCHIVE', { message: `${folder} has no manifest.json`, details: { path }, cause })
  })
  const manifest = parseManifest(text, path)
  if (manifest.completedAt === null) {
    throw new CairnError('INVALID_ARCHIVE', {
      message: `${folder} contains an incomplete export`,
      hint: 'Run the same `cairn export` command again to resume.',
      details: { path },
    })
  }
  for (const list of manifest.lists) {
    const file = join(folder, listPath(list.name))
    if (existsSync(file) && (await hashFile(file)) === list.sha256) continue
    throw new CairnError('INVALID_ARCHIVE', {
      message: `${file} is missing or was modified`,
      hint: 'Restore it from another copy of the export.',
      details: { path: file },
    })
  }
  return manifest
}

/**
 * Imports an exported account into the account of the client: the same CIDs, names and rights. An interrupted import
 * resumes: content that the account already has is not uploaded again. The service verifies every block, so it rejects
 * a damaged CAR.
 * @throws CairnError INVALID_ARCHIVE, QUOTA_EXCEEDED, NO_API_KEY
 */
export async function importAccount(
  client: Client,
  folder: string,
  manifest: Manifest,
  options: ImportOptions,
): Promise<ImportReport> {
  const report: ImportReport = {
    ...{ uploaded: 0, present: 0, bytes: 0, fileKeys: 0, names: 0, nameKeys: 0, driveValues: 0 },
    missing: [],
    displaced: [],
  }
  const context: Import = {
    ...options,
    client,
    folder,
    report,
    missing: report.missing,
    endsAll: ({ code }) => endingCodes.has(code) || code === 'NETWORK_ERROR',
  }
  const rights = new Map<string, RightsRow>()
  for await (const row of rows(context, manifest, 'rights', rightsRow)) rights.set(row.cid, row)
  const keys = new Map<string, KeyRow>()
  for await (const row of rows(context, manifest, 'keys', keyRow))
    keys.set(row.kind === 'name key' ? row.name : row.cid, row)
  const drive: DriveRow[] = []
  for await (const row of rows(context, manifest, 'drive', driveRow)) drive.push(row)
  // The key of a drive opens only that drive's parts. The account has another one, or gets one.
  for (const { keyCid } of drive) rights.delete(keyCid)
  const seal = keys.size === 0 ? undefined : options.createSeal?.(manifest)

  // Keys come first, so that the account never lists an encrypted file without a readable key.
  options.onStep(countOf(rights.size, 'file key'))
  const locked = await importFileKeys(context, rights, keys, seal)
  options.onStep(countOf(manifest.counts.files, 'file'))
  await importFiles(context, manifest, locked)
  await importNames(context, manifest, keys, seal)
  await importDrive(context, drive, keys, seal)
  return report
}

async function* rows<T>(
  { folder }: Import,
  manifest: Manifest,
  list: ListName,
  schema: Parameters<typeof readList<T>>[1],
): AsyncGenerator<T> {
  if (manifest.lists.some(({ name }) => name === list)) yield* readList(join(folder, listPath(list)), schema)
}

/**
 * Saves the keys that the account does not have yet.
 * @returns CIDs whose key could not be saved
 */
async function importFileKeys(
  context: Import,
  rights: ReadonlyMap<string, RightsRow>,
  keys: ReadonlyMap<string, KeyRow>,
  seal: Seal | undefined,
): Promise<ReadonlySet<string>> {
  const { client, signal, report } = context
  const locked = new Set<string>()
  if (seal === undefined || client.keySession === undefined) return locked
  const present = new Set<string>()
  // A key on fewer than three nodes is saved again.
  for await (const { cid, state } of listKeyFiles(client, 'owner', { signal }))
    if (state !== 'provisional') present.add(cid)
  const { address } = client.keySession
  await forEachOf(rights.values(), maxParallel, async ({ cid, sharedTo, conditions }) => {
    if (present.has(cid)) return
    const row = keys.get(cid)
    const isSaved = await collect(context, 'file key', cid, async () => {
      if (row === undefined) throw new CairnError('KEY_NOT_FOUND')
      const key = prepareKey(seal.open(row.sealed, cid))
      await saveKey(client, cid, key, {
        shareTo: sharedTo.filter((one) => one.toLowerCase() !== address.toLowerCase()),
        ...(conditions === null ? {} : { conditions }),
        signal,
      })
      return true
    })
    if (isSaved) report.fileKeys++
    else locked.add(cid)
  })
  return locked
}

async function importFiles(context: Import, manifest: Manifest, locked: ReadonlySet<string>): Promise<void> {
  const { client, signal, report, onBytes } = context
  const present = new Set<string>()
  for await (const { cid, fileName, private: isPrivate = false } of listFiles(client, {}, { signal }))
    present.add(JSON.stringify([cid, fileName, isPrivate]))
  const order = createUploadOrder()
  await forEachOf(rows(context, manifest, 'files', fileRow), maxParallel, (row) =>
    order.run(row, async () => {
      if (present.has(JSON.stringify([row.cid, row.name, row.isPrivate ?? false]))) {
        report.present++
        return 'done before'
      }
      if (row.isEncrypted && locked.has(row.cid)) return 'neither'
      const bytes = await collect(context, 'file', row.cid, () => uploadRow(context, row))
      if (bytes === undefined) return 'neither'
      report.uploaded++
      report.bytes += bytes
      onBytes(report.bytes)
      return 'stored'
    }),
  )
  report.displaced = order.displaced()
}

async function uploadRow({ client, folder, missing, announce, signal }: Import, row: FileRow): Promise<number> {
  // Ignores the path of the row: a foreign archive could name any file of this machine.
  const path = join(folder, carPath(row.cid))
  const { cid, name } = await uploadCar(client, path, {
    // The service strips the extension of a CAR from the name.
    name: `${row.name}.car`,
    isEncrypted: row.isEncrypted,
    ...(row.isPrivate ? { private: true } : { announce: announce && !row.isEncrypted }),
    ...(row.mimeType === null ? {} : { mimeType: row.mimeType }),
    signal,
  })
  if (cid !== row.cid) throw new CairnError('CID_MISMATCH', { details: { computed: row.cid, answered: [cid] } })
  if (name !== row.name)
    await renameUpload(client, { cid, storedName: name, name: row.name }, signal).catch((error: unknown) => {
      const isRefused = CairnError.is(error, 'INVALID_PATH') || CairnError.is(error, 'INVALID_LABEL')
      if (!isRefused && !CairnError.is(error, 'NOT_FOUND')) throw error
      missing.push({ kind: 'file name', id: cid, code: error.code, message: `Stored as ${name}` })
    })
  return (await stat(path)).size
}

async function importNames(
  context: Import,
  manifest: Manifest,
  keys: ReadonlyMap<string, KeyRow>,
  seal: Seal | undefined,
): Promise<void> {
  const { client, signal, report } = context
  const present = new Map<string, 'service' | 'owner'>()
  for await (const { name, keyHeld } of listAccountNames(client, { signal })) present.set(name, keyHeld)
  for await (const row of rows(context, manifest, 'names', nameRow)) {
    const { name, label, value } = row
    // The service of the account has the key, and renews the name.
    if (present.get(name) === 'service') continue
    await collect(context, 'name', name, async () => {
      const sealed = keys.get(name)
      const key = sealed === undefined ? undefined : await importNameKey(seal?.open(sealed.sealed, name) ?? '')
      if (key !== undefined && (await context.storeNameKey(key, label))) report.nameKeys++
      if (present.has(name)) return
      if (value !== null) {
        await publish(context, row, key)
        report.names++
      } else if (key === undefined) {
        throw new CairnError('KEY_NOT_FOUND', {
          message: 'It was never published, and the export does not contain its key',
        })
      }
    })
  }
}

/** Publishes a name again: with its record while that is valid, else with a new one if its key is available. */
async function publish({ client, signal }: Import, row: NameRow, key: NameKey | undefined): Promise<void> {
  const label = row.label ?? undefined
  const isValid = row.validUntil !== null && Date.parse(row.validUntil) > Date.now()
  if (row.record !== null && isValid) {
    await registerRecord(client, row.name, new Uint8Array(Buffer.from(row.record, 'base64')), { label, signal })
    return
  }
  if (key === undefined || row.value === null) throw new CairnError('IPNS_RECORD_EXPIRED')
  await publishSigned(client, key, row.value, { label, signal })
}

/** Merges the exported drive into that of the account: of two values for the same thing, the later one counts. */
async function importDrive(
  context: Import,
  parts: readonly DriveRow[],
  keys: ReadonlyMap<string, KeyRow>,
  seal: Seal | undefined,
): Promise<void> {
  const { client, signal, report, onStep } = context
  const [first] = parts
  if (first === undefined) return
  const { keyCid } = first
  if (client.keySession === undefined) {
    const { code, message } = new CairnError('KEY_NOT_FOUND', {
      message: 'The export does not contain the key of the drive',
    })
    report.missing.push({ kind: 'drive', id: keyCid, code, message })
    return
  }
  onStep('The drive')
  const count = await collect(context, 'drive', keyCid, async () => {
    const row = keys.get(keyCid)
    // A key that could not be exported may still be on the key nodes.
    const masterKey =
      row === undefined || seal === undefined
        ? (await getKey(client, keyCid, { signal })).masterKey
        : seal.open(row.sealed, keyCid)
    const changes = await openExportedDrive({ parts: [...parts] }, masterKey)
    return (await openDrive(client, { signal })).merge(changes, { signal })
  })
  report.driveValues = count ?? 0
}
