import { maxUploadParts } from '@cairn/protocol'
import { emptyFolderFile, type PathFile } from '../transfers/path-file.ts'

/** Dropped files and empty folders, and the number of unreadable ones. */
export type Dropped = { files: PathFile[]; unreadable: number }

/**
 * Reads dropped or pasted files, including folders with their content. Call it within the event: the browser removes
 * the entries afterwards.
 * @returns undefined if there are more than the service takes as one folder: a part of them would look like all
 */
export function readDropped(data: DataTransfer): Promise<Dropped | undefined> {
  const found = [...data.items].flatMap((item) => {
    const entry = item.kind === 'file' ? item.webkitGetAsEntry() : null
    // The handle allows reading the file again after a reload.
    return entry === null ? [] : [{ entry, handle: item.getAsFileSystemHandle?.() }]
  })
  const plain = [...data.files]
  // Pasted images are files without an entry.
  if (found.length === 0) {
    return Promise.resolve({ files: plain.map((file) => ({ path: file.name, file })), unreadable: 0 })
  }
  return readEntries(found)
}

export type Found = { entry: FileSystemEntry; handle: Promise<FileSystemHandle | null> | undefined }

export async function readEntries(entries: readonly Found[]): Promise<Dropped | undefined> {
  const dropped: Dropped = { files: [], unreadable: 0 }
  const all = [...entries]
  // The list grows during the loop. Removing entries from its start would move all others each time.
  for (const [at, one] of all.entries()) {
    const { entry } = one
    if (dropped.files.length + all.length - at > maxUploadParts) return undefined
    try {
      if (isFile(entry)) {
        dropped.files.push(await withPath(one, await openFile(entry)))
      } else if (isDirectory(entry)) {
        const inside = await listDirectory(entry)
        if (inside.length === 0) dropped.files.push(await withPath(one, emptyFolderFile(entry.fullPath)))
        // Files in a folder are read through its handle.
        for (const inner of inside) all.push({ entry: inner, handle: one.handle })
      }
    } catch (error) {
      // An unreadable one never stops the others.
      if (!(error instanceof DOMException)) throw error
      dropped.unreadable++
    }
  }
  return dropped
}

async function withPath({ entry, handle: giving }: Found, file: File): Promise<PathFile> {
  const handle = (await giving) ?? undefined
  return { path: entry.fullPath.replace(/^\//, ''), file, ...(handle === undefined ? {} : { handle }) }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

function openFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

/** A reader returns up to a hundred entries per call, until it returns none. */
async function listDirectory(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    all.push(...some)
  }
}
