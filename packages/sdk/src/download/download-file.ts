import { CairnError } from '@cairn/protocol'
import { joinPath, makeFolder, openPart } from '#platform'
import type { Client } from '../client.ts'
import { createProgress, type OnProgress, type ProgressMeter } from '../progress.ts'
import { checkPart } from './check-part.ts'
import { parseContentPath } from './content-path.ts'
import { listDirectory } from './list-directory.ts'
import { openFile } from './open-file.ts'

export type DownloadToDiskOptions = {
  /** Replaces what is there. */
  overwrite?: boolean
  signal?: AbortSignal
  onProgress?: OnProgress
}

export type DownloadResult = { path: string; sizeBytes: number; files: number }

/** Folders in one another that are followed. */
const depthMost = 128

/**
 * Downloads a file or folder to a path (Node). A file grows beside its target as `.part` and takes its name when all of it
 * is verified and durable; a later call goes on from what is there, after checking it again.
 * @throws CairnError FILE_EXISTS, INVALID_PATH (a name that would leave the folder), BLOCK_NOT_FOUND, VERIFICATION_FAILED,
 *   DOWNLOAD_INCOMPLETE (call again to go on), ABORTED
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
  // Asked first: a folder or an unknown CID must leave no file behind.
  const probe = await openFile(client, cidPath, signal === undefined ? {} : { signal })
  await probe.stream.cancel()
  const part = await openPart(target, overwrite)
  let isOpen = true
  try {
    const start = Math.min(await checkPart(client, parseContentPath(cidPath), part, signal), probe.sizeBytes)
    await part.truncate(start)
    let position = start
    if (start < probe.sizeBytes || probe.sizeBytes === 0) {
      const { stream } = await openFile(client, cidPath, {
        ...(start > 0 ? { fromByte: start } : {}),
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined ? {} : { onProgress }),
      })
      const reader = stream.getReader()
      try {
        for (;;) {
          const { done, value } = await reader.read()
          if (done) break
          await part.write(value, position)
          position += value.length
        }
      } finally {
        await reader.cancel().catch(() => undefined)
      }
    }
    if (position !== probe.sizeBytes) throw new CairnError('DOWNLOAD_INCOMPLETE')
    isOpen = false
    await part.finish(overwrite)
    return probe.sizeBytes
  } finally {
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
  if (depth > depthMost) throw new CairnError('DAG_TOO_DEEP')
  const { signal, overwrite = false } = options
  const items = []
  const names = new Set<string>()
  for await (const item of listDirectory(client, cidPath, signal === undefined ? {} : { signal })) {
    items.push({ ...item, name: safeName(item.name, names) })
  }
  // `a` grows as `a.part`: it has to be done before a file that really has that name, which is always the longer one.
  items.sort((one, other) => one.name.length - other.name.length)
  await makeFolder(target, overwrite || depth > 0)
  const total = { sizeBytes: 0, files: 0 }
  for (const { name, cid } of items) {
    const path = joinPath(target, name)
    const inner = { overwrite, ...(signal === undefined ? {} : { signal }) }
    try {
      const sizeBytes = await downloadOne(client, cid, path, inner)
      progress.add(sizeBytes)
      total.sizeBytes += sizeBytes
      total.files++
    } catch (error) {
      if (!CairnError.is(error, 'NOT_A_FILE')) throw error
      const below = await downloadFolder(client, cid, path, options, progress, depth + 1)
      total.sizeBytes += below.sizeBytes
      total.files += below.files
    }
  }
  return total
}

/** Names come from strangers: none may leave the folder, hide another, or mean something to the system. */
function safeName(name: string, taken: Set<string>): string {
  const isBad = name === '' || name === '.' || name === '..' || name.includes('\0') || /[/\\]/.test(name)
  if (isBad)
    throw new CairnError('INVALID_PATH', {
      message: `The folder holds a name that is not safe to write: ${JSON.stringify(name)}`,
    })
  const folded = name.normalize('NFC').toLowerCase()
  if (taken.has(folded)) throw new CairnError('DUPLICATE_NAME', { message: `Duplicate file name found: ${name}` })
  taken.add(folded)
  return name
}
