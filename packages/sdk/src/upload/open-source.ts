import { CairnError, type UploadParameters } from '@cairn/protocol'
import { openPath } from '#platform/local-files'
import { blobFile } from '../local/blob-file.ts'
import type { LocalFile } from '../local-source.ts'
import type { Batch } from './write-body.ts'

/** Content of one file: a path (Node), a File or Blob, bytes, or a stream, which is read once. */
export type FileSource = string | Blob | Uint8Array | AsyncIterable<Uint8Array>

/**
 * Opens the content of one file.
 * @param name overrides that of the source
 * @throws CairnError FILE_UNREADABLE, also for a folder, INVALID_PATH, INVALID_REQUEST for a source of another type
 */
export async function openSource(source: FileSource, name?: string): Promise<LocalFile> {
  if (source instanceof Blob) return blobFile(source, name)
  if (source instanceof Uint8Array) {
    return { name: name ?? 'blob', sizeBytes: source.length, canReopen: true, open: () => [source] }
  }
  if (typeof source !== 'string') {
    // Pages upload files: they load the rest when it is needed.
    const { openStream } = await import('../local/check-content.ts')
    return { name: name ?? 'blob', sizeBytes: undefined, canReopen: false, open: openStream(source) }
  }
  const path = await openPath(source)
  if (path.kind === 'directory') {
    throw new CairnError('FILE_UNREADABLE', {
      message: `${source} is a folder`,
      hint: 'Use uploadFolder or computeFolderCid.',
    })
  }
  return { ...path.file, name: name ?? path.file.name }
}

/**
 * Creates an upload of one file.
 * @throws CairnError INVALID_PATH for a name with folders: the service would create these folders, and return their CID instead
 *   of that of the file
 */
export function batchOfFile(file: LocalFile, options: Pick<UploadParameters, 'wrapWithDirectory'>): Batch {
  if (options.wrapWithDirectory !== true && hasFolders(file.name)) {
    throw new CairnError('INVALID_PATH', {
      message: `The name of a file must not contain "/": ${file.name}`,
      details: { fileName: file.name },
      hint: 'Use uploadFolder, or set wrapWithDirectory.',
    })
  }
  return { files: () => [file], isFolder: false, canRepeat: file.canReopen, totalBytes: file.sizeBytes }
}

/** Whether the service would create folders from a name: as in the paths of a folder, empty and `.` segments do not count. */
function hasFolders(name: string): boolean {
  return name.split('/').filter((part) => part !== '' && part !== '.').length > 1
}
