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
  const entries = [...data.items].flatMap((item) =>
    item.kind === 'file' ? [item.webkitGetAsEntry() ?? undefined] : [],
  )
  const plain = [...data.files]
  const found = entries.filter((entry) => entry !== undefined)
  // Pasted pictures are files without an entry.
  if (found.length === 0) {
    return Promise.resolve({ files: plain.map((file) => ({ path: file.name, file })), unreadable: 0 })
  }
  return readEntries(found)
}

async function readEntries(entries: readonly FileSystemEntry[]): Promise<Dropped> {
  const dropped: Dropped = { files: [], unreadable: 0 }
  const waiting = [...entries]
  for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
    if (dropped.files.length + waiting.length > filesMost) break
    try {
      if (isFile(entry)) dropped.files.push({ path: entry.fullPath.replace(/^\//, ''), file: await openFile(entry) })
      else if (isDirectory(entry)) waiting.push(...(await listDirectory(entry)))
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
