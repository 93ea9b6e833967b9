import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { CairnError, type Client } from '@cairn/sdk'
import { makeFolder } from '../state/make-folder.ts'
import { archiveFormat, type KeyRow, keyRow, type ListName, listPath, type Manifest, parseManifest } from './format.ts'
import { readList, unfinishedPath } from './list-file.ts'

/** Returns the manifest of the archive that this call resumes, or of a new one. */
export async function openArchive({ network }: Client, folder: string, account: string): Promise<Manifest> {
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
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
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

/** Returns the keys in the folder, including those of an unfinished call. */
export async function readSealed(folder: string): Promise<Map<string, KeyRow>> {
  const known = new Map<string, KeyRow>()
  for await (const row of readEarlier(folder, 'keys', keyRow))
    known.set(row.kind === 'file key' ? row.cid : row.name, row)
  return known
}

/** Yields the rows of a list in the folder, and those of an unfinished call. */
export async function* readEarlier<T>(
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
