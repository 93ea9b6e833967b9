import { CairnError, pathDepthMost } from '@cairn/protocol'
import {
  type BlockSink,
  createEntryTable,
  createFileImporter,
  type EntryTable,
  type ImportOptions,
  type ImportProfile,
  importSymlink,
} from '@cairn/unixfs'
import type { PartSink } from '../multipart/multipart-parser.ts'
import type { PartHead } from '../multipart/part-head.ts'
import { type Feed, readMultipart } from '../multipart/read-multipart.ts'
import { hashSha256 } from '../packs/packs.ts'
import { type FileStart, sniffBytes } from './mime-type.ts'
import { readUploadPath } from './upload-path.ts'

/** All parts of a body. */
export type ImportedParts = {
  /** Files and folders by their names, in the order they came, with what each file became. */
  table: EntryTable
  /** File names as the client sent them, where they differ from the path that was made of them. */
  sentNames: ReadonlyMap<number, string>
  /** How the first file begins. */
  start: FileStart | undefined
}

/** What an import of parts needs. */
export type ImportPartsOptions = {
  boundary: string
  profile: ImportProfile
  sink: BlockSink
  /** Whether the client is one of Kubo's: names are escaped, and an unnamed part may be called anything. */
  isKubo: boolean
  /** Whether a folder is put around everything, so that no other is the top. Defaults to false. */
  wrap?: boolean
  /** Whether folders without anything in them are kept. Defaults to true. */
  keepsEmptyFolders?: boolean
  /** Told where the first part's bytes begin in the body, before they are taken; may refuse them. */
  expectFrom?(bodyOffset: number): Promise<void>
  /** Told of each piece before it is taken; may refuse it or hold it back. */
  takeBytes(sizeBytes: number): void | Promise<void>
  /** Called before memory for names and nodes is allocated; may throw. */
  acquireMemory(bytes: number): void
}

/** Longest target of a symbolic link, in bytes. */
const linkTargetBytesMost = 4096
/** Memory that the writer of the pack keeps for a block. */
const blockMemoryBytes = 128
/** Memory of a name beside its characters, each of which may need two bytes. */
const sentNameMemoryBytes = 128

/**
 * Imports the parts of a multipart body as UnixFS, one after the other, while they arrive.
 *
 * @throws CairnError INVALID_MULTIPART, TOO_MANY_PARTS, HEADER_TOO_LARGE, INVALID_PATH, NO_FILE, INVALID_REQUEST;
 * UnixfsError DUPLICATE_NAME; what the sink, `takeBytes` and `acquireMemory` throw.
 */
export async function importParts(
  body: Feed,
  {
    boundary,
    profile,
    sink,
    isKubo,
    wrap = false,
    keepsEmptyFolders = true,
    takeBytes,
    acquireMemory,
    expectFrom,
  }: ImportPartsOptions,
): Promise<ImportedParts> {
  const importing: ImportOptions = { profile, hash: hashSha256, sink }
  const table = createEntryTable({ maxDepth: pathDepthMost, acquireMemory })
  const sentNames = new Map<number, string>()
  let start: FileStart | undefined
  let files = 0

  /** Folders that were sent, if empty ones are left out, and those that something was sent into. */
  const folders = new Set<string>()
  const folderParents = new Set<string>()

  /** A folder sent by itself counts, as does one with a folder in it; those with files come with their files. */
  const noteFolder = (segments: readonly string[]): void => {
    const path = segments.join('/')
    acquireMemory(blockMemoryBytes + 4 * path.length)
    folders.add(path)
    folderParents.add(segments.length === 1 && !wrap ? path : segments.slice(0, -1).join('/'))
  }

  /** Claims the name before any byte is taken. */
  const addFile = (segments: readonly string[], sentName: string | undefined): number => {
    acquireMemory(blockMemoryBytes)
    files++
    const path = segments.join('/')
    const entry = path === '' ? table.addUnnamed() : table.addFile(path)
    if (sentName !== undefined && sentName !== '' && sentName !== path) {
      acquireMemory(sentNameMemoryBytes + 2 * sentName.length)
      sentNames.set(entry, sentName)
    }
    return entry
  }

  const openFile = (entry: number): PartSink => {
    const importer = createFileImporter(importing)
    const sniffer = files === 1 ? createSniffer() : undefined
    const write = (piece: Uint8Array): void | Promise<void> => {
      sniffer?.take(piece)
      const allowed = takeBytes(piece.length)
      return allowed instanceof Promise ? allowed.then(() => importer.write(piece)) : importer.write(piece)
    }
    return {
      write,
      end: async () => {
        const node = await importer.finish()
        table.setNode(entry, node, node.fileSizeBytes)
        if (sniffer !== undefined) start = sniffer.start()
      },
    }
  }

  const openLink = (entry: number): PartSink => {
    let target = Buffer.alloc(0)
    return {
      write: (piece) => {
        target = Buffer.concat([target, piece])
        if (target.length > linkTargetBytesMost) {
          throw new CairnError('INVALID_PATH', { message: 'The target of a symbolic link is too long' })
        }
      },
      end: async () => {
        table.setNode(entry, await importSymlink(target.toString(), importing), 0)
      },
    }
  }

  const openPart = (head: PartHead): PartSink => {
    const segments = readUploadPath(head.fileName === 'blob' && !isKubo ? undefined : head.fileName, isKubo)
    if (head.contentType === 'application/x-directory') {
      if (segments.length > 0 && keepsEmptyFolders) table.addFolder(segments.join('/'))
      else if (segments.length > 0) noteFolder(segments)
      return { write: refuseContent, end: () => undefined }
    }
    const open = head.contentType === 'application/symlink' ? openLink : openFile
    return open(addFile(segments, head.fileName))
  }

  let isFirst = true
  await readMultipart(body, boundary, (head) => {
    const sink = openPart(head)
    if (!isFirst || expectFrom === undefined) return sink
    isFirst = false
    return expectFrom(head.bodyOffset).then(() => sink)
  })
  for (const folder of folders) if (folderParents.has(folder)) table.addFolder(folder)
  // The top folder is always there.
  if (table.size === 1) throw new CairnError('NO_FILE')
  return { table, sentNames, start }
}

function refuseContent(): void {
  throw new CairnError('INVALID_MULTIPART', { message: 'A folder sent as a part must have no content' })
}

/** Keeps the first bytes of a file. */
function createSniffer(): { take(piece: Uint8Array): void; start(): FileStart } {
  const kept: Uint8Array[] = []
  let length = 0
  let isWhole = true
  return {
    take(piece) {
      if (length + piece.length > sniffBytes) isWhole = false
      if (length === sniffBytes) return
      // By constructor: slice of a Buffer would be a view of a piece that is freed.
      const part = new Uint8Array(piece.subarray(0, sniffBytes - length))
      kept.push(part)
      length += part.length
    },
    start: () => ({ bytes: Buffer.concat(kept), isWhole }),
  }
}
