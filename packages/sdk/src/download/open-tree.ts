import { CairnError } from '@cairn/protocol'
import { type DirectoryEntry, listDirectory, loadNode, readFile, resolvePath } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import type { Client } from '../client.ts'
import { describeDamage } from './car-source.ts'
import { parseContentPath } from './content-path.ts'
import { openOwnSource } from './open-own-source.ts'

/** An item below an open folder, with its names from the top. A folder comes before its contents. */
export type TreeItem =
  | { readonly kind: 'folder'; readonly names: readonly string[] }
  | { readonly kind: 'link'; readonly names: readonly string[]; readonly target: string }
  | {
      readonly kind: 'file'
      readonly names: readonly string[]
      readonly sizeBytes: number
      /** Verified bytes. Read them before the next item; a chunk is valid until the next one. */
      readonly bytes: AsyncGenerator<Uint8Array, void, undefined>
    }

/** Everything below a folder, from one response. */
export type OpenTree = {
  /** The items, in the order of the response. */
  readonly items: AsyncGenerator<TreeItem, void, undefined>
  /** The error with which the response ended, whether an item or the bytes of one reported it. */
  readonly failure: CairnError | undefined
  close(): Promise<void>
}

/** Maximum depth of nested folders. */
export const maxFolderDepth = 128

type OpenFolder = { readonly names: readonly string[]; readonly entries: AsyncGenerator<DirectoryEntry> }

/**
 * Opens everything below a folder with one request, and reads it one item after the other. Every block is verified, as in
 * `openFile`; the names are not checked. Read it to its end, or close it.
 * @example
 * const tree = await openTree(client, cid)
 * for await (const item of tree.items) {
 *   if (item.kind === 'file') for await (const bytes of item.bytes) console.log(item.names.join('/'), bytes.length)
 * }
 * await tree.close()
 * @throws CairnError NOT_A_DIRECTORY, BLOCK_NOT_FOUND, …; the items and bytes fail with VERIFICATION_FAILED,
 *   DOWNLOAD_INCOMPLETE, NOT_A_FILE (linked data), DAG_TOO_DEEP, ABORTED
 */
export async function openTree(
  client: Client,
  cidPath: string,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<OpenTree> {
  const path = parseContentPath(cidPath)
  const source = await openOwnSource(client, path, { scope: 'all' }, signal)
  let failure: CairnError | undefined
  const fail = (error: unknown): CairnError => {
    failure ??= describeDamage(error, signal)
    return failure
  }
  const readBytes = async function* (cid: CID): AsyncGenerator<Uint8Array, void, undefined> {
    const pieces = readFile(source, cid)
    for (;;) {
      const { done, value } = await pieces.next().catch((error: unknown) => {
        throw fail(error)
      })
      if (done) return
      yield value
    }
  }
  const walk = async function* (root: CID): AsyncGenerator<TreeItem, void, undefined> {
    const open: OpenFolder[] = [{ names: [], entries: listDirectory(source, root) }]
    for (let folder = open.at(-1); folder !== undefined; folder = open.at(-1)) {
      const { done, value: entry } = await folder.entries.next()
      if (done) {
        open.pop()
        continue
      }
      const names = [...folder.names, entry.name]
      const node = await loadNode(source, entry.cid, {})
      if (node.kind !== 'symlink') source.repeatLast(entry.cid)
      if (node.kind === 'directory' || node.kind === 'hamt') {
        if (open.length === maxFolderDepth) throw new CairnError('DAG_TOO_DEEP')
        yield { kind: 'folder', names }
        open.push({ names, entries: listDirectory(source, entry.cid) })
      } else if (node.kind === 'file' || node.kind === 'raw') {
        const bytes = readBytes(entry.cid)
        yield { kind: 'file', names, sizeBytes: node.fileSizeBytes, bytes }
      } else if (node.kind === 'symlink') yield { kind: 'link', names, target: node.target }
      else throw new CairnError('NOT_A_FILE', { message: `${names.join('/')} is a ${node.kind}, not a file` })
    }
  }
  try {
    const { cid, kind } = await resolvePath(source, path.root, path.segments)
    if (kind !== 'directory' && kind !== 'hamt') throw new CairnError('NOT_A_DIRECTORY')
    source.repeatLast(cid)
    const steps = walk(cid)
    const items = async function* (): AsyncGenerator<TreeItem, void, undefined> {
      for (;;) {
        const { done, value } = await steps.next().catch((error: unknown) => {
          throw fail(error)
        })
        if (done) return
        yield value
      }
    }
    return {
      items: items(),
      get failure() {
        return failure
      },
      close: () => source.close(),
    }
  } catch (error) {
    await source.close()
    throw describeDamage(error, signal)
  }
}
