import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { forEachOf } from '@cairn/protocol'
import {
  CairnError,
  type Client,
  downloadCar,
  exportDrive,
  findConditions,
  getKey,
  getProofs,
  isAnyCid,
  listNames as listAccountNames,
  listFiles,
  listKeyFiles,
  listPayments,
  resolveName,
} from '@cairn/sdk'
import { makeFolder } from '../state/make-folder.ts'
import { type Collecting, collect, describeDiskError } from './collect.ts'
import {
  archiveFormat,
  carPath,
  type FileRow,
  type KeyRow,
  keyRow,
  type ListName,
  listPath,
  type Manifest,
  nameRow,
  parseManifest,
  privateArchiveFormat,
} from './format.ts'
import { type ListWriter, readList, unfinishedPath, writeList } from './list-file.ts'
import type { Seal } from './seal.ts'

/** Maximum number of concurrent requests: sequential requests are slow for small files. */
const maxParallel = 8

export type ExportOptions = {
  /** Address of the account. */
  account: string
  /** Creates the seal of this archive; undefined omits keys. */
  createSeal: ((salt: string) => Seal) | undefined
  /** Name keys to include; undefined omits them. */
  nameKeys: ExportedNameKeys | undefined
  signal: AbortSignal
  onStep(text: string): void
  onBytes(bytes: number): void
}

/** The name keys of an export. */
export type ExportedNameKeys = {
  /** Returns the key of a name as PEM; undefined if it is neither with the service nor on this machine. */
  find(name: string, keyHeld: 'service' | 'owner'): Promise<string | undefined>
  /** Lists the names whose keys are on this machine. The account does not know those that it never published. */
  listOwn(): Promise<{ name: string; label: string | null }[]>
}

type Export = ExportOptions &
  Collecting & {
    client: Client
    folder: string
    seal: Seal | undefined
    /**
     * Keys that an earlier call sealed, by CID or name: they are not fetched again, and only those of retired keys are dropped. The
     * archive may have the only copy.
     */
    sealed: ReadonlyMap<string, KeyRow>
  }

/**
 * Exports the whole account into a folder: content as verified CARs, names with their signed records, rights, sealed
 * file keys, payments and proofs. An interrupted export resumes: existing content is not downloaded again. The manifest
 * lists items that cannot be exported; they do not stop the rest.
 * @throws CairnError FILE_EXISTS if the folder has other content, FILE_UNREADABLE, and those of the lists of the
 *   account
 */
export async function exportAccount(client: Client, folder: string, options: ExportOptions): Promise<Manifest> {
  try {
    return await exportAll(client, folder, options)
  } catch (cause) {
    throw describeDiskError(cause)
  }
}

async function exportAll(client: Client, folder: string, options: ExportOptions): Promise<Manifest> {
  const before = await openArchive(client, folder, options.account)
  const context: Export = {
    ...options,
    client,
    folder,
    seal: options.createSeal?.(before.seal.salt),
    sealed: await readSealed(folder),
    missing: [],
    // A full or missing disk fails for every file.
    endsAll: ({ code }) => code === 'FILE_UNREADABLE',
  }
  // Until the last list is renamed, the lists differ from those in the manifest.
  const started = { ...before, completedAt: null }
  await writeManifest(folder, started)
  const writers: ListWriter[] = []
  const begin = async (list: Parameters<typeof writeList>[1]) => {
    const writer = await writeList(folder, list)
    writers.push(writer)
    return writer
  }
  try {
    const { counts, format, ...content } = await exportFiles(context, await begin('files'), await begin('proofs'))
    const keys = context.seal === undefined ? undefined : await begin('keys')
    if (keys !== undefined) await exportRights(context, await begin('rights'), keys, content)
    await exportNames(context, await begin('names'), keys)
    // Without its key, the drive cannot be opened.
    const drive =
      keys === undefined
        ? undefined
        : await collect(context, 'drive', options.account, () => exportDrive(client, { signal: options.signal }))
    if (drive !== undefined) {
      // Programs of earlier versions reject a list that they do not know, so an account without a drive has none.
      const parts = await begin('drive')
      for (const part of drive.parts) await parts.add({ keyCid: drive.keyCid, ...part })
    }
    const payments = await begin('payments')
    for await (const payment of listPayments(client, { signal: options.signal })) await payments.add(payment)
    // An export without keys retains the keys, and the drive, of an earlier call.
    const retained = [...(keys === undefined ? ['keys', 'rights'] : []), ...(drive === undefined ? ['drive'] : [])]
    const lists = before.lists.filter(({ name }) => retained.includes(name))
    for (const writer of writers.splice(0)) lists.push(await writer.finish())
    const completedAt = new Date().toISOString()
    const manifest = { ...started, format, completedAt, counts, lists, missing: context.missing }
    await writeManifest(folder, manifest)
    return manifest
  } finally {
    for (const writer of writers) await writer.close()
  }
}

/** Returns the manifest of the archive that this call resumes, or of a new one. */
async function openArchive({ network }: Client, folder: string, account: string): Promise<Manifest> {
  await makeFolder(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause
    throw new CairnError('FILE_EXISTS', {
      message: `${cause.path ?? folder} is a file`,
      hint: 'Choose an empty or new folder.',
      cause,
    })
  })
  const path = join(folder, 'manifest.json')
  if (existsSync(path)) {
    const kept = parseManifest(await readFile(path, 'utf8'), path)
    if (kept.account === account && kept.network.api === network.api) return kept
    throw new CairnError('FILE_EXISTS', {
      message: `${folder} contains the export of ${kept.account} at ${kept.network.api}`,
      hint: 'Choose another folder.',
    })
  }
  if ((await readdir(folder)).length > 0) {
    throw new CairnError('FILE_EXISTS', { message: `${folder} is not empty`, hint: 'Choose an empty or new folder.' })
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

/** Writes the manifest atomically. */
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

/** CIDs of the account, and of those the ones whose content is in the export. */
type ExportedContent = { listed: ReadonlySet<string>; stored: ReadonlySet<string> }

async function exportFiles(
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
  onStep(`${rows.length} files, ${cids.size} with distinct content`)
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

/** Returns the keys in the folder, including those of an unfinished call. */
async function readSealed(folder: string): Promise<Map<string, KeyRow>> {
  const known = new Map<string, KeyRow>()
  for await (const row of readEarlier(folder, 'keys', keyRow))
    known.set(row.kind === 'file key' ? row.cid : row.name, row)
  return known
}

/** Yields the rows of a list in the folder, and those of an unfinished call. */
async function* readEarlier<T>(
  folder: string,
  list: ListName,
  schema: Parameters<typeof readList<T>>[1],
): AsyncGenerator<T> {
  for (const path of [join(folder, listPath(list)), unfinishedPath(folder, list)]) {
    if (!existsSync(path)) continue
    try {
      yield* readList(path, schema)
    } catch (error) {
      // A killed process may leave a torn last line; the lines before it are valid.
      if (!CairnError.is(error, 'INVALID_ARCHIVE')) throw error
    }
  }
}

async function exportRights(
  context: Export,
  rights: ListWriter,
  keys: ListWriter,
  { listed, stored }: ExportedContent,
): Promise<void> {
  const { client, seal, sealed, signal, onStep } = context
  if (seal === undefined || client.keySession === undefined) return
  onStep('File keys and rights')
  const { address } = client.keySession
  /** CIDs of the keys that are written, and of those that are retired. */
  const done = new Set<string>()
  await forEachOf(listKeyFiles(client, 'owner', { signal }), maxParallel, async (file) => {
    const { cid, owner, sharedTo, hasConditions, state } = file
    if (state === 'retired') {
      done.add(cid)
      return
    }
    await collect(context, 'file key', cid, async () => {
      const fetchKey = async (): Promise<KeyRow | undefined> => {
        const masterKey = await findOwnKey(client, cid, state === 'provisional' && !listed.has(cid), signal)
        return masterKey === undefined ? undefined : { kind: 'file key', cid, sealed: seal.close(masterKey, cid) }
      }
      const row = sealed.get(cid) ?? (await fetchKey())
      if (row === undefined) return
      const conditions = hasConditions ? await findConditions(client, cid, { signal }) : undefined
      await keys.add(row)
      done.add(cid)
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
  // Three nodes no longer list these, or their rights are not known: an import shares them with no one.
  for (const row of sealed.values()) {
    if (row.kind !== 'file key' || done.has(row.cid)) continue
    await keys.add(row)
    if (stored.has(row.cid)) await rights.add({ cid: row.cid, owner: address, sharedTo: [], conditions: null })
  }
}

/**
 * Returns the key of a file from the key nodes.
 * @param mayLack whether it may be a key that never was in force: returns undefined if three nodes state that the account has none
 */
async function findOwnKey(
  client: Client,
  cid: string,
  mayLack: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await getKey(client, cid, { signal })).masterKey
  } catch (error) {
    // Keys are saved before their upload ends: an upload that failed leaves a key on one or two nodes for a day.
    const isAbsent = CairnError.is(error, 'KEY_NOT_FOUND') || CairnError.is(error, 'ACCESS_DENIED')
    if (mayLack && isAbsent) return undefined
    throw error
  }
}

async function exportNames(context: Export, names: ListWriter, keys: ListWriter | undefined): Promise<void> {
  const { client, seal, sealed, signal, nameKeys } = context
  const addKey = async (name: string, keyHeld: 'service' | 'owner'): Promise<void> => {
    if (seal === undefined || keys === undefined) return
    const known = sealed.get(name)
    if (known !== undefined) return keys.add(known)
    if (nameKeys === undefined) return
    await collect(context, 'name key', name, async () => {
      const key = await nameKeys.find(name, keyHeld)
      if (key === undefined) throw new CairnError('NAME_KEY_WITH_OWNER')
      await keys.add({ kind: 'name key', name, sealed: seal.close(key, name) })
    })
  }
  const labels = new Map<string, string | null>()
  for await (const { name, label } of readEarlier(context.folder, 'names', nameRow)) labels.set(name, label)
  const listed = new Set<string>()
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
    listed.add(name)
    await names.add({
      name,
      label,
      value,
      sequence,
      validUntil: validUntil === null ? null : new Date(validUntil).toISOString(),
      record: record === undefined ? null : Buffer.from(record.bytes).toString('base64'),
    })
    await addKey(name, keyHeld)
  }
  if (keys === undefined) return
  const kept = [...sealed.values()].flatMap((row) =>
    row.kind === 'name key' ? [{ name: row.name, label: labels.get(row.name) ?? null }] : [],
  )
  for (const { name, label } of [...((await nameKeys?.listOwn()) ?? []), ...kept]) {
    if (listed.has(name)) continue
    listed.add(name)
    await names.add({ name, label, value: null, sequence: null, validUntil: null, record: null })
    await addKey(name, 'owner')
  }
}
