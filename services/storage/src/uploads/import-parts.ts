import { CairnError } from '@cairn/protocol'
import {
  type BlockSink,
  createFileImporter,
  type ImportedNode,
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

/** One part, imported. */
export type ImportedPart = {
  /** Names from the outermost folder to the file; none for an unnamed part. */
  segments: string[]
  /** The file name as the client sent it. */
  sentName: string | undefined
  node: ImportedNode
}

/** All parts of a body. */
export type ImportedParts = {
  files: ImportedPart[]
  /** Folders sent as parts of their own, as Kubo's clients do. */
  directories: string[][]
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
  /** Told where the first part's bytes begin in the body, before they are taken; may refuse them. */
  expectFrom?(bodyOffset: number): Promise<void>
  /** Told of each piece before it is taken; may refuse it or hold it back. */
  takeBytes(sizeBytes: number): void | Promise<void>
}

/** Longest target of a symbolic link, in bytes. */
const linkTargetBytesMost = 4096

/**
 * Imports the parts of a multipart body as UnixFS, one after the other, while they arrive.
 *
 * @throws CairnError INVALID_MULTIPART, TOO_MANY_PARTS, HEADER_TOO_LARGE, INVALID_PATH, DUPLICATE_NAME, NO_FILE,
 * INVALID_REQUEST, and what the sink and `takeBytes` throw.
 */
export async function importParts(
  body: Feed,
  { boundary, profile, sink, isKubo, takeBytes, expectFrom }: ImportPartsOptions,
): Promise<ImportedParts> {
  const importing: ImportOptions = { profile, hash: hashSha256, sink }
  const result: ImportedParts = { files: [], directories: [], start: undefined }
  const claimName = createNameRegister()

  const openFile = (segments: string[], sentName: string | undefined): PartSink => {
    const importer = createFileImporter(importing)
    const sniffer = result.files.length === 0 ? createSniffer() : undefined
    const write = (piece: Uint8Array): void | Promise<void> => {
      sniffer?.take(piece)
      const allowed = takeBytes(piece.length)
      return allowed instanceof Promise ? allowed.then(() => importer.write(piece)) : importer.write(piece)
    }
    return {
      write,
      end: async () => {
        result.files.push({ segments, sentName, node: await importer.finish() })
        if (sniffer !== undefined) result.start = sniffer.start()
      },
    }
  }

  const openLink = (segments: string[], sentName: string | undefined): PartSink => {
    let target = Buffer.alloc(0)
    return {
      write: (piece) => {
        target = Buffer.concat([target, piece])
        if (target.length > linkTargetBytesMost) {
          throw new CairnError('INVALID_PATH', { message: 'The target of a symbolic link is too long' })
        }
      },
      end: async () => {
        result.files.push({ segments, sentName, node: await importSymlink(target.toString(), importing) })
      },
    }
  }

  const openPart = (head: PartHead): PartSink => {
    if (/\?(?:.*&)?(?:mode|mtime)=/.test(head.fieldName)) {
      throw new CairnError('INVALID_REQUEST', { message: 'Modes and times of files are not kept: send none' })
    }
    const segments = readUploadPath(head.fileName === 'blob' && !isKubo ? undefined : head.fileName, isKubo)
    const isDirectory = head.contentType === 'application/x-directory'
    if (segments.length > 0) claimName(segments, isDirectory)
    if (!isDirectory) {
      const open = head.contentType === 'application/symlink' ? openLink : openFile
      return open(segments, head.fileName)
    }
    if (segments.length > 0) result.directories.push(segments)
    return { write: refuseContent, end: () => undefined }
  }

  let isFirst = true
  await readMultipart(body, boundary, (head) => {
    const sink = openPart(head)
    if (!isFirst || expectFrom === undefined) return sink
    isFirst = false
    return expectFrom(head.bodyOffset).then(() => sink)
  })
  if (result.files.length === 0 && result.directories.length === 0) throw new CairnError('NO_FILE')
  return result
}

function refuseContent(): void {
  throw new CairnError('INVALID_MULTIPART', { message: 'A folder sent as a part must have no content' })
}

/** Refuses a name that was taken, before any of its bytes are. */
function createNameRegister(): (segments: readonly string[], isDirectory: boolean) => void {
  const files = new Set<string>()
  const folders = new Set<string>()

  return (segments, isDirectory) => {
    const path = segments.join('/')
    let parent = path
    // Once a folder is known, so are those around it.
    for (let depth = segments.length - 1; depth > 0; depth--) {
      parent = segments.slice(0, depth).join('/')
      if (folders.has(parent)) break
      if (files.has(parent)) throw duplicate(parent)
      folders.add(parent)
    }
    if (files.has(path) || (!isDirectory && folders.has(path))) throw duplicate(path)
    if (isDirectory) folders.add(path)
    else files.add(path)
  }
}

function duplicate(path: string): CairnError {
  return new CairnError('DUPLICATE_NAME', {
    message: `Duplicate file name found: ${path}`,
    details: { fileName: path },
  })
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
      const part = piece.slice(0, sniffBytes - length)
      kept.push(part)
      length += part.length
    },
    start: () => ({ bytes: Buffer.concat(kept), isWhole }),
  }
}
