import type { PathFile } from './upload-item.ts'

/** What came by dropping, and how much of it could not be read. */
export type Dropped = { files: PathFile[]; unreadable: number }

/** A drop of more than this is refused by the service anyway. */
const filesMost = 200_000

/**
 * Reads what was dropped or pasted, folders with all that is in them. Call it in the event itself: the browser takes the
 * entries away when it is over.
 */
export function readDropped(data: DataTransfer): Promise<Dropped> {
  const found = [...data.items].flatMap((item) => {
    const entry = item.kind === 'file' ? item.webkitGetAsEntry() : null
    // With it the file can be read again after a reload.
    return entry === null ? [] : [{ entry, handle: item.getAsFileSystemHandle?.() }]
  })
  const plain = [...data.files]
  // Pasted pictures are files without an entry.
  if (found.length === 0) {
    return Promise.resolve({ files: plain.map((file) => ({ path: file.name, file })), unreadable: 0 })
  }
  return readEntries(found)
}

type Found = { entry: FileSystemEntry; handle: Promise<FileSystemHandle | null> | undefined }

async function readEntries(entries: readonly Found[]): Promise<Dropped> {
  const dropped: Dropped = { files: [], unreadable: 0 }
  const waiting = [...entries]
  for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
    const { entry, handle: giving } = one
    if (dropped.files.length + waiting.length > filesMost) break
    try {
      if (isFile(entry)) {
        const handle = (await giving) ?? undefined
        const path = entry.fullPath.replace(/^\//, '')
        dropped.files.push({ path, file: await openFile(entry), ...(handle === undefined ? {} : { handle }) })
      } else if (isDirectory(entry)) {
        // All that is in a folder is read through it.
        waiting.push(...(await listDirectory(entry)).map((inner) => ({ entry: inner, handle: giving })))
      }
    } catch (error) {
      // One that cannot be read never stops the others.
      if (!(error instanceof DOMException)) throw error
      dropped.unreadable++
    }
  }
  return dropped
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

/** A reader gives a hundred at a time, until it gives none. */
async function listDirectory(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    all.push(...some)
  }
}
