import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { unreadable } from '../local/unreadable.ts'
import type { LocalFile } from '../local-source.ts'
import { sampleBlob } from '../upload/sample-blob.ts'

/** Bytes at the start of a file that distinguish it from another one with the same size and time. */
const startBytes = 4096

/**
 * Hashes what identifies files before any of their bytes are sent: names, sizes, times of change and first bytes, and all bytes
 * of data in memory. It proves nothing; the CID does.
 * @throws CairnError FILE_UNREADABLE
 */
async function identify(files: AsyncIterable<LocalFile> | Iterable<LocalFile>): Promise<string> {
  const hash = createHash('sha256')
  const start = Buffer.allocUnsafe(startBytes)
  for await (const file of files) {
    const { name, path, blob } = file
    const sample = blob && (await sampleBlob(blob))
    const facts = path === undefined ? [name, sample ?? ''] : [name, ...readFacts(path, start)]
    hash.update(JSON.stringify(facts))
    if (path === undefined && sample === undefined) for await (const piece of file.open()) hash.update(piece)
  }
  return hash.digest('hex')
}

/** Synchronous, like reading small files, because a folder may have very many. */
function readFacts(path: string, start: Buffer): string[] {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const { size, mtimeNs } = fstatSync(file, { bigint: true })
    const length = readSync(file, start, 0, start.length, 0)
    return [`${size}`, `${mtimeNs}`, start.toString('base64', 0, length)]
  } catch (cause) {
    throw unreadable(path, cause)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Undefined in browsers. */
export const identifyFiles: ((files: AsyncIterable<LocalFile> | Iterable<LocalFile>) => Promise<string>) | undefined =
  identify
