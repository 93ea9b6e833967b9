import { CairnError } from '@cairn/protocol'
import { openFile } from '../gateway/gateway.ts'
import type { NameClient } from '../names/names.ts'
import { type KuboReading, openKuboPath } from './kubo-path.ts'

/** A range of bytes in a file. */
export type CatOptions = { offset?: number | undefined; length?: number | undefined; client: NameClient }

/**
 * Opens a file, or the target of a symbolic link as its text. All checks that need no content run before the promise resolves.
 *
 * @throws CairnError INVALID_PATH for anything that is not a file, and as `openKuboPath`
 */
export async function openCat(
  reading: KuboReading,
  arg: string,
  { offset = 0, length, client }: CatOptions,
): Promise<{ sizeBytes: number; bytes: Uint8Array | AsyncIterable<Uint8Array> }> {
  const entity = await openKuboPath(reading, arg, client)
  const isFile = 'fileSizeBytes' in entity.node || entity.node.kind === 'symlink'
  if (!isFile || entity.remaining.length > 0) {
    throw new CairnError('INVALID_PATH', {
      message: 'this dag node is a directory',
      hint: 'Use the path of a file in the folder.',
    })
  }
  const content = openFile(reading.packs, entity, client.signal)
  const start = Math.min(offset, content.sizeBytes)
  const end = length === undefined ? content.sizeBytes : Math.min(content.sizeBytes, start + length)
  return { sizeBytes: end - start, bytes: content.read({ start, end }) }
}
