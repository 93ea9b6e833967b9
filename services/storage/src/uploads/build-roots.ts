import type { Uploaded } from '@cairn/protocol'
import { createDirectoryTree, type DirectoryTree, type ImportedNode, type ImportOptions } from '@cairn/unixfs'
import type { ImportedPart, ImportedParts } from './import-parts.ts'

/** What an upload comes to: one thing that is listed, counted and deleted as a whole. */
export type UploadRoot = {
  /** Empty for a folder that only exists to hold what was sent. */
  name: string
  node: ImportedNode
  /** Bytes of all files in it. */
  sizeBytes: number
  fileCount: number
}

/** One entry of an answer, and the bytes of its file where it is one. */
export type UploadEntry = Uploaded & { fileSizeBytes: number | undefined }

/** The roots of an upload, and every entry in the order Kubo tells them: files, then folders after their children. */
export type UploadRoots = { roots: UploadRoot[]; entries: UploadEntry[] }

/** How parts become roots. */
export type RootShape =
  /** Each file by itself. */
  | 'files'
  /** Each name at the top by itself: a file, or a folder with all that was sent into it. */
  | 'tops'
  /** One folder around everything. */
  | 'wrapped'

/**
 * Which shape a request asks for. Published clients read one object, so that several names at the top need a folder
 * around them; their encrypted uploads are one entry a file, and never ask for a folder, as ours do for one that is encrypted
 * as a whole; Kubo's clients read a line for each.
 */
export function chooseShape(
  { files, directories }: ImportedParts,
  options: { wrap: boolean; encryption: boolean; isKubo: boolean },
): RootShape {
  if (options.encryption) return options.wrap ? 'tops' : 'files'
  if (options.wrap) return 'wrapped'
  if (options.isKubo) return 'tops'
  const tops = new Set<string>()
  for (const { segments, node } of files) tops.add(segments[0] ?? node.cid.toString())
  for (const segments of directories) tops.add(segments[0] ?? '')
  return tops.size > 1 ? 'wrapped' : 'tops'
}

/** Writes the folders that the parts need and tells the roots. @throws UnixfsError DUPLICATE_NAME, BAD_NAME, TOO_DEEP */
export async function buildRoots(
  { files, directories }: ImportedParts,
  shape: RootShape,
  options: ImportOptions,
): Promise<UploadRoots> {
  const entries = files.map((file) => describe(nameOf(file), file.node))
  if (shape === 'files') return { roots: files.map((file) => toRoot(file.sentName || nameOf(file), file)), entries }
  if (shape === 'wrapped') return buildWrapped({ files, directories }, entries, options)

  const roots: UploadRoot[] = []
  const folders = new Map<
    string,
    { tree: DirectoryTree; root: UploadRoot | undefined; sizeBytes: number; fileCount: number }
  >()
  const openFolder = (top: string) => {
    const known = folders.get(top)
    if (known !== undefined) return known
    const folder = { tree: createDirectoryTree(options), root: undefined, sizeBytes: 0, fileCount: 0 }
    folders.set(top, folder)
    return folder
  }
  for (const file of files) {
    const [top, ...rest] = file.segments
    if (top === undefined || rest.length === 0) {
      roots.push(toRoot(nameOf(file), file))
      continue
    }
    const folder = openFolder(top)
    folder.tree.addFile(rest.join('/'), file.node)
    folder.sizeBytes += file.node.fileSizeBytes
    folder.fileCount++
  }
  for (const [top = '', ...rest] of directories) {
    const { tree } = openFolder(top)
    if (rest.length > 0) tree.addDirectory(rest.join('/'))
  }
  for (const [name, { tree, sizeBytes, fileCount }] of folders) {
    const { root, directories: inner } = await tree.finish()
    for (const { path, node } of inner) entries.push(describe(path === '' ? name : `${name}/${path}`, node))
    roots.push({ name, node: root, sizeBytes, fileCount })
  }
  return { roots, entries }
}

async function buildWrapped(
  { files, directories }: Pick<ImportedParts, 'files' | 'directories'>,
  entries: UploadEntry[],
  options: ImportOptions,
): Promise<UploadRoots> {
  const tree = createDirectoryTree(options)
  const unnamed = new Set<string>()
  let sizeBytes = 0
  for (const file of files) {
    const name = nameOf(file)
    // Unnamed parts are named by their CID, so that the same bytes twice are one entry.
    if (file.segments.length === 0) {
      if (unnamed.has(name)) continue
      unnamed.add(name)
    }
    tree.addFile(name, file.node)
    sizeBytes += file.node.fileSizeBytes
  }
  for (const segments of directories) tree.addDirectory(segments.join('/'))
  const { root, directories: inner } = await tree.finish()
  for (const { path, node } of inner) entries.push(describe(path, node))
  return { roots: [{ name: '', node: root, sizeBytes, fileCount: files.length }], entries }
}

function toRoot(name: string, { node }: ImportedPart): UploadRoot {
  return { name, node, sizeBytes: node.fileSizeBytes, fileCount: 1 }
}

function nameOf({ segments, node }: ImportedPart): string {
  return segments.length === 0 ? node.cid.toString() : segments.join('/')
}

function describe(name: string, node: ImportedNode): UploadEntry {
  const fileSizeBytes = node.kind === 'file' ? node.fileSizeBytes : undefined
  return { Name: name, Hash: node.cid.toString(), Size: String(node.dagSizeBytes), fileSizeBytes }
}
