import { CairnError, type Client, isFolder, iterateStream, listDirectory, openFile, openTree } from '@cairn/sdk'
import type { ContentPlace } from '../content/content-url.ts'
import { mayBeFolder } from '../content/folder-type.ts'
import type { Entry } from './entry.ts'
import { readTree } from './read-tree.ts'

/** A public or private folder, and its place in the ZIP. */
type StoredFolder = ContentPlace & { path: string; lastModified: Date; onLeftOut: (path: string) => void }

/**
 * Opens the files and empty folders of a stored folder, which come in one response. Files missing from the response are read one
 * by one. Symbolic links and other content that is not a file are omitted.
 * @throws CairnError as `listDirectory` and `openFile` do
 */
export async function* openPublicEntries(
  client: Client,
  { cidPath, isPrivate, path, lastModified, onLeftOut }: StoredFolder,
): AsyncGenerator<Entry, void, undefined> {
  const done = new Set<string>()
  const toEntry = (below: string): Entry => ({ name: below === '' ? path : `${path}/${below}`, lastModified })
  const emptyEntry = (below: string): Entry => {
    done.add(below)
    return toEntry(below)
  }
  const items = readTree(
    () => openTree(client, cidPath),
    (names, fromByte) => openWhole(client, { cidPath: [cidPath, ...names].join('/'), isPrivate }, fromByte),
  )
  /** The last folder, until an item in it follows; otherwise it is empty. */
  let empty: string | undefined = ''
  let next = await items.next()
  for (; !next.done; next = await items.next()) {
    const { kind, names, input } = next.value
    const below = names.join('/')
    if (empty !== undefined && empty !== '' && !below.startsWith(`${empty}/`)) yield emptyEntry(empty)
    empty = kind === 'folder' ? below : undefined
    if (kind === 'folder') continue
    done.add(below)
    if (input === undefined) onLeftOut(`${path}/${below}`)
    else yield { ...toEntry(below), input }
  }
  if (next.value) {
    if (empty !== undefined) yield emptyEntry(empty)
    return
  }
  for await (const { below, cidPath: inner } of listBelow(client, { cidPath, isPrivate })) {
    if (done.has(below)) continue
    if (inner === undefined) {
      yield toEntry(below)
      continue
    }
    const input = await openUnlessLink(client, { cidPath: inner, isPrivate })
    if (input === undefined) onLeftOut(`${path}/${below}`)
    else yield { ...toEntry(below), input }
  }
}

async function openWhole(
  client: Client,
  { cidPath, isPrivate }: ContentPlace,
  fromByte = 0,
): Promise<AsyncIterable<Uint8Array>> {
  return iterateStream((await openFile(client, cidPath, { fromByte, isPrivate })).stream)
}

/** Opens a file; undefined for a symbolic link and other content that is not a file. */
export async function openUnlessLink(
  client: Client,
  place: ContentPlace,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  try {
    return await openWhole(client, place)
  } catch (error) {
    if (CairnError.is(error, 'NOT_A_FILE')) return undefined
    throw error
  }
}

/** Lists the files of a stored folder with their paths below it, and its empty folders, which have no `cidPath`. */
async function* listBelow(
  client: Client,
  { cidPath, isPrivate }: ContentPlace,
  folder = '',
): AsyncGenerator<{ below: string; cidPath?: string }, void, undefined> {
  let isEmpty = true
  for await (const { cid, name } of listDirectory(client, cidPath)) {
    isEmpty = false
    const below = folder === '' ? name : `${folder}/${name}`
    // Of a private upload, only paths below its root can be read.
    const inner = isPrivate ? `${cidPath}/${name}` : cid
    const isInner = mayBeFolder({ cid, mimeType: null }) && (await isFolder(client, inner))
    if (isInner) yield* listBelow(client, { cidPath: inner, isPrivate }, below)
    else yield { below, cidPath: inner }
  }
  if (isEmpty) yield { below: folder }
}
