import { CairnError } from '@cairn/sdk'
import { messages } from '../messages/messages.ts'
import { isEmptyFolder, type PathFile } from '../transfers/path-file.ts'
import type { KeptFile } from './kept-uploads.ts'

// Chromium's API to read a previously granted file again; other browsers have no such functions.
declare global {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to another's.
  interface DataTransferItem {
    getAsFileSystemHandle?: () => Promise<FileSystemHandle | null>
  }
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can add to another's.
  interface FileSystemHandle {
    queryPermission?: (descriptor: { mode: 'read' }) => Promise<PermissionState>
    requestPermission?: (descriptor: { mode: 'read' }) => Promise<PermissionState>
  }
}

/** Returns whether the page can read it without a prompt. */
export async function isReadable(handle: FileSystemHandle): Promise<boolean> {
  return (await handle.queryPermission?.({ mode: 'read' })) === 'granted'
}

/**
 * Reads the files of an upload again, without its empty folders. Call it from a user action: the browser may prompt.
 * @throws CairnError FILE_UNREADABLE
 */
export async function readHandle(handle: FileSystemHandle, files: readonly KeptFile[]): Promise<PathFile[]> {
  const state = await handle.requestPermission?.({ mode: 'read' })
  if (state === 'denied') throw new CairnError('FILE_UNREADABLE', { hint: messages.transfers.chooseInstead })
  try {
    return await Promise.all(
      files
        .filter(({ sizeBytes, type }) => !isEmptyFolder({ size: sizeBytes, type }))
        .map(async ({ path }) => ({
          path,
          file: isFolder(handle) ? await openInside(handle, path) : await openFile(handle),
        })),
    )
  } catch (cause) {
    if (!(cause instanceof DOMException)) throw cause
    throw new CairnError('FILE_UNREADABLE', { hint: messages.transfers.chooseInstead, cause })
  }
}

function isFolder(handle: FileSystemHandle): handle is FileSystemDirectoryHandle {
  return handle.kind === 'directory'
}

function isFile(handle: FileSystemHandle): handle is FileSystemFileHandle {
  return handle.kind === 'file'
}

function openFile(handle: FileSystemHandle): Promise<File> {
  if (!isFile(handle)) throw new CairnError('FILE_UNREADABLE')
  return handle.getFile()
}

/** The first segment of the path is the folder itself. */
async function openInside(folder: FileSystemDirectoryHandle, path: string): Promise<File> {
  const [, ...names] = path.split('/')
  const name = names.pop()
  if (name === undefined) throw new CairnError('FILE_UNREADABLE')
  let inner = folder
  for (const part of names) inner = await inner.getDirectoryHandle(part)
  return openFile(await inner.getFileHandle(name))
}
