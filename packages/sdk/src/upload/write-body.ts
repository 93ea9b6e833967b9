import { CairnError, type UploadParameters } from '@cairn/protocol'
import {
  type BlockSink,
  createFileImporter,
  type ImportedNode,
  type ImportProfile,
  importProfiles,
  loadDirectoryTree,
  profileFor,
} from '@cairn/unixfs'
import { hashSha256 } from '#platform/native-crypto'
import { openSlab } from '#platform/small-files'
import type { LocalFile } from '../local-source.ts'
import { multipartEnd, partHead } from './multipart.ts'
import { rethrowUnixfs } from './post-multipart.ts'

/** The content to send: one file, or the files of a folder. */
export type Batch = {
  files: () => AsyncIterable<LocalFile> | Iterable<LocalFile>
  /** The same files, many at a time: ten thousand steps of a stream take longer than their reading. */
  groups?: () => AsyncIterable<readonly LocalFile[]>
  isFolder: boolean
  canRepeat: boolean
  totalBytes: number | undefined
}

/** Blocks are only counted: the bytes go to the service unchanged. */
export const discard: BlockSink = { put: () => undefined }

/** Import profile of the content. */
export function profileOf(options: Pick<UploadParameters, 'profile' | 'cidVersion'>): ImportProfile {
  return options.profile === undefined ? profileFor(options.cidVersion ?? 1) : importProfiles[options.profile]
}

/** What is known of the content while its body is written. */
export type Sending = {
  profile: ImportProfile
  wrap: boolean
  sizeBytes: number
  node: ImportedNode | undefined
  /** Computes the node of a folder, once: the body was read to its end. */
  finish?: () => Promise<void>
}

/** Yields what `change` makes of each item. */
export async function* mapEach<T, R>(items: AsyncIterable<T> | Iterable<T>, change: (item: T) => R): AsyncGenerator<R> {
  for await (const item of items) yield change(item)
}

/** Starts to write a body with this profile. */
export function startSending(options: Pick<UploadParameters, 'profile' | 'cidVersion' | 'wrapWithDirectory'>): Sending {
  return { profile: profileOf(options), wrap: options.wrapWithDirectory ?? false, sizeBytes: 0, node: undefined }
}

/**
 * Yields the body of an upload, and computes the CID of its content on the way.
 * @param finishesLater whether `state.finish` is called after the last byte, while the service stores the files
 */
export async function* writeBody(
  batch: Batch,
  boundary: string | undefined,
  state: Sending,
  count: (bytes: number) => void,
  finishesLater: boolean,
): AsyncGenerator<Uint8Array> {
  const { profile } = state
  const importing = { profile, hash: hashSha256, sink: discard }
  const tree =
    batch.isFolder || state.wrap
      ? (await loadDirectoryTree())({ ...importing, wrap: state.wrap || !batch.isFolder })
      : undefined
  const slab = batch.groups && openSlab?.(profile)
  let isFirst = true
  for await (const group of batch.groups?.() ?? mapEach(batch.files(), (file) => [file])) {
    for (const file of group) {
      const head = partHead(boundary, file, isFirst)
      isFirst = false
      const small = slab?.add(head, file)
      if (small !== undefined && tree !== undefined) {
        count(small.fileSizeBytes)
        state.sizeBytes += small.fileSizeBytes
        tree.addFile(file.name, small)
        if (slab?.isFull) yield slab.take()
        continue
      }
      if (slab !== undefined) yield slab.take()
      yield head
      if (file.place !== undefined && tree !== undefined) {
        yield* file.open()
        await file.place(tree, file.name, importing)
        continue
      }
      const importer = createFileImporter(importing)
      for await (const piece of file.open()) {
        const taken = importer.write(piece)
        if (taken instanceof Promise) await taken
        count(piece.length)
        state.sizeBytes += piece.length
        yield piece
      }
      const node = await importer.finish()
      if (tree === undefined) state.node = node
      else tree.addFile(file.name, node)
    }
  }
  if (slab !== undefined) yield slab.take()
  if (isFirst)
    throw new CairnError('NO_FILE', {
      message: 'No file to upload',
      hint: 'The folder is empty.',
    })
  if (tree !== undefined) {
    let finished: Promise<void> | undefined
    const finish = async () => {
      state.node = (await tree.finish().catch(rethrowUnixfs)).root
    }
    state.finish = () => {
      finished ??= finish()
      return finished
    }
    if (!finishesLater) await state.finish()
  }
  yield multipartEnd(boundary)
}
