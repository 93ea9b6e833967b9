import { CairnError, duplicateName, forEachOf } from '@cairn/protocol'
import { joinPath, makeFolder, openPart, writeSmall } from '#platform/part-file'
import type { Client } from '../client.ts'
import { createProgress, type OnProgress, type ProgressMeter } from '../progress.ts'
import { checkPart } from './check-part.ts'
import { parseContentPath } from './content-path.ts'
import { type FolderItem, listDirectory } from './list-directory.ts'
import { type OpenBytes, openBytes, readAll } from './open-file.ts'

export type DownloadToDiskOptions = {
  /** Replaces an existing file. */
  overwrite?: boolean
  signal?: AbortSignal
  onProgress?: OnProgress
}

export type DownloadResult = { path: string; sizeBytes: number; files: number }

/** Maximum depth of nested folders. */
const maxDepth = 128
/** Files up to this size are written at once, larger ones as they arrive. */
const smallFileBytes = 256 * 1024
/** Files of a folder that are fetched, written and synced at a time. */
const filesAtOnce = 8

/**
 * Downloads a file or folder to a path (Node). Writes each file to `{path}.part` and renames it once it is verified and
 * durable. A later call resumes after it verifies the existing part.
 * @throws CairnError FILE_EXISTS, INVALID_PATH (a name outside the folder), BLOCK_NOT_FOUND, VERIFICATION_FAILED,
 *   DOWNLOAD_INCOMPLETE (call again to resume), ABORTED
 */
export async function downloadFile(
  client: Client,
  cidPath: string,
  target: string,
  options: DownloadToDiskOptions = {},
): Promise<DownloadResult> {
  try {
    return { path: target, sizeBytes: await downloadOne(client, cidPath, target, options), files: 1 }
  } catch (error) {
    if (!CairnError.is(error, 'NOT_A_FILE')) throw error
  }
  const progress = createProgress('receive', undefined, options.onProgress)
  const result = await downloadFolder(client, cidPath, target, options, progress, 0)
  progress.done()
  return { path: target, ...result }
}

async function downloadOne(
  client: Client,
  cidPath: string,
  target: string,
  options: DownloadToDiskOptions,
): Promise<number> {
  const { overwrite = false, signal, onProgress } = options
  const reading = {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  }
  // Opened first: a folder or an unknown CID must not leave a file behind.
  const whole = await openBytes(client, cidPath, reading)
  if (whole.sizeBytes <= smallFileBytes) {
    await writeSmall(target, await readAll(whole), overwrite)
    return whole.sizeBytes
  }
  const part = await openPart(target, overwrite).catch(async (error: unknown) => {
    await whole.close()
    throw error
  })
  let isOpen = true
  try {
    let position = 0
    let rest: OpenBytes | undefined = whole
    if (part.sizeBytes > 0) {
      await whole.close()
      position = Math.min(await checkPart(client, parseContentPath(cidPath), part, signal), whole.sizeBytes)
      await part.truncate(position)
      rest =
        position < whole.sizeBytes ? await openBytes(client, cidPath, { ...reading, fromByte: position }) : undefined
    }
    for await (const bytes of rest?.bytes ?? []) {
      await part.write(bytes, position)
      position += bytes.length
    }
    if (position !== whole.sizeBytes) throw new CairnError('DOWNLOAD_INCOMPLETE')
    isOpen = false
    await part.finish(overwrite)
    return whole.sizeBytes
  } finally {
    await whole.close()
    if (isOpen) await part.close()
  }
}

async function downloadFolder(
  client: Client,
  cidPath: string,
  target: string,
  options: DownloadToDiskOptions,
  progress: ProgressMeter,
  depth: number,
): Promise<{ sizeBytes: number; files: number }> {
  if (depth > maxDepth) throw new CairnError('DAG_TOO_DEEP')
  const { signal, overwrite = false } = options
  const items: FolderItem[] = []
  const names = new Set<string>()
  for await (const item of listDirectory(client, cidPath, signal === undefined ? {} : { signal })) {
    items.push({ ...item, name: safeName(item.name, names) })
  }
  await makeFolder(target, overwrite || depth > 0)
  const total = { sizeBytes: 0, files: 0 }
  const stop = new AbortController()
  const ended = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])
  const folders: FolderItem[] = []
  const download = async (item: FolderItem): Promise<void> => {
    try {
      const sizeBytes = await downloadOne(client, item.cid, joinPath(target, item.name), { overwrite, signal: ended })
      progress.add(sizeBytes)
      total.sizeBytes += sizeBytes
      total.files++
    } catch (error) {
      if (CairnError.is(error, 'NOT_A_FILE')) folders.push(item)
      else {
        stop.abort(error)
        throw error
      }
    }
  }
  // `a` is written to `a.part`, so it must be complete before an entry with that name, which is always longer.
  const isPart = ({ name }: { name: string }) => name.endsWith('.part')
  const byLength = (one: { name: string }, other: { name: string }) => one.name.length - other.name.length
  await forEachOf(
    items.filter((item) => !isPart(item)),
    filesAtOnce,
    download,
  )
  await forEachOf(items.filter(isPart).sort(byLength), 1, download)
  for (const { name, cid } of folders) {
    const below = await downloadFolder(client, cid, joinPath(target, name), options, progress, depth + 1)
    total.sizeBytes += below.sizeBytes
    total.files += below.files
  }
  return total
}

/** Names are untrusted: none may escape the folder, hide another file, or have a special meaning to the system. */
function safeName(name: string, taken: Set<string>): string {
  const isBad = name === '' || name === '.' || name === '..' || name.includes('\0') || /[/\\]/.test(name)
  if (isBad)
    throw new CairnError('INVALID_PATH', {
      message: `The folder contains a name that is not safe to write: ${JSON.stringify(name)}`,
    })
  const folded = name.normalize('NFC').toLowerCase()
  if (taken.has(folded)) throw duplicateName(name)
  taken.add(folded)
  return name
}
