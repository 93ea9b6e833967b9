import { CairnError, maxPathDepth, partTypes } from '@cairn/protocol'
import {
  type Annotator,
  type BlockSink,
  createEntryTable,
  createFileImporter,
  type EntryTable,
  type FileImportState,
  type ImportedNode,
  type ImportOptions,
  type ImportProfile,
  importSymlink,
  type NodeMetadata,
} from '@cairn/unixfs'
import { readUploadPath } from '../content/upload-path.ts'
import type { PartSink } from '../multipart/multipart-parser.ts'
import { hashSha256 } from '../packs/packs.ts'
import { type FileStart, sniffBytes } from './mime-type.ts'
import { type MetadataRequest, readPartMetadata } from './node-metadata.ts'
import type { PartSource, SourcePart } from './part-source.ts'

/** The imported parts of a body. */
export type ImportedParts = {
  /** Files and folders by name, in order of arrival, with the result of each file. */
  table: EntryTable
  /** File names as the client sent them, when they differ from the resulting path. */
  sentNames: ReadonlyMap<number, string>
  /** The beginning of the first file. */
  start: FileStart | undefined
  /** Whether a folder without a name was sent, which contains all other parts. */
  hasUnnamedFolder: boolean
  /** Modes and times of folders by their paths; the path of the top is empty. */
  folderMetadata: ReadonlyMap<string, NodeMetadata>
}

/** A file whose first bytes are imported: what its importer left, and its first bytes for the detection of its type. */
export type BegunImport = Pick<FileImportState, 'levels'> & { start: Uint8Array }

/** Options of an import of parts. */
export type ImportPartsOptions = {
  profile: ImportProfile
  sink: BlockSink
  /** Whether the client is one of Kubo's: its names are escaped, and an unnamed part may have any field name. */
  isKubo: boolean
  /** Whether a folder wraps everything, so that there is no other root. Defaults to false. */
  wrap?: boolean
  /** Whether empty folders are kept. Defaults to true. */
  keepsEmptyFolders?: boolean
  /** Whether to keep the beginning of the first file. Defaults to true. */
  keepsStart?: boolean
  /** Which modes and times to store, and what adds them to the last node of the sink. Defaults to none. */
  metadata?: { request: MetadataRequest; annotate: Annotator['annotate'] } | undefined
  /** The beginning of the only file, when it is already imported. */
  begun?: BegunImport | undefined
  /** Called with the number of expected bytes, if known, before the first is consumed; may reject them. */
  expectBytes?(sizeBytes: number): Promise<void>
  /** Called before each piece is consumed; may reject or delay it. */
  acquireQuota(sizeBytes: number): void | Promise<void>
  /** Called before memory for names and nodes is allocated; may throw. */
  acquireMemory(bytes: number): void
}

/** Maximum length of a symbolic link target, in bytes. */
const maxLinkTargetBytes = 4096
/** Memory per block that the pack writer keeps. */
const blockMemoryBytes = 128
/** Memory of the mode and time of a folder, in addition to its path. */
const metadataMemoryBytes = 192
/** Memory per name, in addition to its characters, which take up to two bytes each. */
const sentNameMemoryBytes = 128

/**
 * Imports the parts of an upload as UnixFS, one after the other, while they arrive.
 *
 * @throws CairnError INVALID_MULTIPART, TOO_MANY_PARTS, HEADER_TOO_LARGE, INVALID_PATH, NO_FILE, INVALID_REQUEST;
 * UnixfsError DUPLICATE_NAME; what the sink, `acquireQuota` and `acquireMemory` throw.
 */
export async function importParts(
  parts: PartSource,
  {
    profile,
    sink,
    isKubo,
    wrap = false,
    keepsEmptyFolders = true,
    keepsStart = true,
    metadata,
    begun,
    acquireQuota,
    acquireMemory,
    expectBytes,
  }: ImportPartsOptions,
): Promise<ImportedParts> {
  const importing: ImportOptions = { profile, hash: hashSha256, sink }
  const table = createEntryTable({ maxDepth: maxPathDepth, acquireMemory })
  const sentNames = new Map<number, string>()
  let start: FileStart | undefined
  let hasUnnamedFolder = false
  let files = 0

  const folderMetadata = new Map<string, NodeMetadata>()
  const noteMetadata = (path: string, fieldName: string): void => {
    const noted = metadata && readPartMetadata(metadata.request, fieldName)
    if (noted === undefined) return
    acquireMemory(metadataMemoryBytes + 2 * path.length)
    folderMetadata.set(path, noted)
  }
  /** Adds the mode and the time of a part to its node. */
  const annotate = (node: ImportedNode, { fieldName }: SourcePart): ImportedNode => {
    const own = metadata && readPartMetadata(metadata.request, fieldName, node.kind === 'symlink')
    return metadata === undefined || own === undefined ? node : metadata.annotate(node, own)
  }

  /** Uploaded folders and those with content, when empty ones are omitted. */
  const folders = new Set<string>()
  const folderParents = new Set<string>()

  /** Counts a folder sent as a part of its own or with a subfolder; folders of files are added with their files. */
  const noteFolder = (segments: readonly string[]): void => {
    const path = segments.join('/')
    acquireMemory(blockMemoryBytes + 4 * path.length)
    folders.add(path)
    folderParents.add(segments.length === 1 && !wrap ? path : segments.slice(0, -1).join('/'))
  }

  /** Reserves the name before any byte is consumed. */
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

  const openFile = (entry: number, part: SourcePart): PartSink => {
    const importer = createFileImporter(importing, begun?.levels)
    const sniffer = keepsStart && files === 1 ? createSniffer(begun?.start) : undefined
    const write = (piece: Uint8Array): void | Promise<void> => {
      sniffer?.take(piece)
      const allowed = acquireQuota(piece.length)
      return allowed instanceof Promise ? allowed.then(() => importer.write(piece)) : importer.write(piece)
    }
    return {
      write,
      end: () => {
        const keep = (node: ImportedNode): void => {
          table.setNode(entry, annotate(node, part), node.fileSizeBytes)
          if (sniffer !== undefined) start = sniffer.start()
        }
        const node = importer.finish()
        return node instanceof Promise ? node.then(keep) : keep(node)
      },
    }
  }

  const openLink = (entry: number, part: SourcePart): PartSink => {
    let target = Buffer.alloc(0)
    return {
      write: (piece) => {
        target = Buffer.concat([target, piece])
        if (target.length > maxLinkTargetBytes) {
          throw new CairnError('INVALID_PATH', { message: 'The target of a symbolic link is too long' })
        }
      },
      end: async () => {
        table.setNode(entry, annotate(await importSymlink(target.toString(), importing), part), 0)
      },
    }
  }

  const openPart = (head: SourcePart): PartSink => {
    const segments = readUploadPath(head.fileName === 'blob' && !isKubo ? undefined : head.fileName, isKubo)
    if (head.contentType === partTypes.emptyFolder) {
      noteMetadata(segments.join('/'), head.fieldName)
      if (segments.length === 0) hasUnnamedFolder = isKubo
      else if (keepsEmptyFolders) table.addFolder(segments.join('/'))
      else noteFolder(segments)
      return { write: refuseContent, end: () => undefined }
    }
    const open = head.contentType === partTypes.symbolicLink ? openLink : openFile
    return open(addFile(segments, head.fileName), head)
  }

  let isFirst = true
  await parts((part) => {
    const sink = openPart(part)
    if (!isFirst || expectBytes === undefined || part.remainingBytes === undefined) return sink
    isFirst = false
    return expectBytes(part.remainingBytes).then(() => sink)
  })
  for (const folder of folders) if (folderParents.has(folder)) table.addFolder(folder)
  // The table always holds the top folder.
  if (table.size === 1 && !hasUnnamedFolder) throw new CairnError('NO_FILE')
  if (wrap) noteMetadata('', '')
  return { table, sentNames, start, hasUnnamedFolder, folderMetadata }
}

function refuseContent(): void {
  throw new CairnError('INVALID_MULTIPART', { message: 'A folder sent as a part must be empty' })
}

/** Keeps the first bytes of a file for type detection. */
function createSniffer(begin: Uint8Array = new Uint8Array(0)): {
  take(piece: Uint8Array): void
  start(): FileStart
} {
  const kept: Uint8Array[] = [begin]
  let { length } = begin
  // A resumed file may be longer than its stored start, even if no bytes are left to read.
  let isWhole = length < sniffBytes
  return {
    take(piece) {
      if (length + piece.length > sniffBytes) isWhole = false
      if (length === sniffBytes) return
      // Copies by constructor: `slice` of a Buffer is a view of a piece that is about to be freed.
      const part = new Uint8Array(piece.subarray(0, sniffBytes - length))
      kept.push(part)
      length += part.length
    },
    start: () => ({ bytes: Buffer.concat(kept), isWhole }),
  }
}
