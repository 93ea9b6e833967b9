import { hash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { RenderedPicture } from './render-picture.ts'

/** Rendered pictures on disk. The least recently used ones are evicted. */
export type PictureCache = {
  get(key: string): Promise<RenderedPicture | undefined>
  /** Keeps a picture, unless it is larger than a quarter of the cache. */
  set(key: string, picture: RenderedPicture): Promise<void>
}

/** Space that a file takes at least. */
const blockBytes = 4096
const headerEnd = 10
const maxHeaderBytes = 256
const temporary = '.new'

/**
 * Creates a cache of files below `folder`, which only the owner can read. Files are written under another name and
 * renamed; each contains the hash of its content, so a damaged one is rendered again. They may be deleted at any time,
 * and survive a restart.
 * @param maxBytes space of all files together; 0 keeps nothing
 */
export function createPictureCache({ folder, maxBytes }: { folder: string; maxBytes: number }): PictureCache {
  /** Space by name, the least recently used first. */
  const sizes = new Map<string, number>()
  let totalBytes = 0
  let counting: Promise<void> | undefined

  const remove = (name: string): void => {
    totalBytes -= sizes.get(name) ?? 0
    sizes.delete(name)
  }
  const add = (name: string, sizeBytes: number): void => {
    remove(name)
    const space = Math.ceil(sizeBytes / blockBytes) * blockBytes
    sizes.set(name, space)
    totalBytes += space
  }
  const count = async (): Promise<void> => {
    const files = await listFiles(folder)
    // Pictures used since the start come last: the times on disk are too coarse to order them.
    const used = [...sizes]
    for (const { name, sizeBytes } of files) add(name, sizeBytes)
    for (const [name, sizeBytes] of used) add(name, sizeBytes)
  }
  const evict = async (): Promise<void> => {
    for (const name of sizes.keys()) {
      if (totalBytes <= maxBytes) return
      remove(name)
      await rm(pathOf(folder, name), { force: true })
    }
  }

  return {
    async get(key) {
      if (maxBytes === 0) return undefined
      const name = hash('sha256', key)
      const path = pathOf(folder, name)
      const file = await ignoreMissing(readFile(path))
      const picture = file === undefined ? undefined : decode(file)
      if (file === undefined || picture === undefined) {
        remove(name)
        return undefined
      }
      add(name, file.length)
      const now = new Date()
      // It may have been evicted or deleted meanwhile.
      await ignoreMissing(utimes(path, now, now))
      return picture
    },
    async set(key, picture) {
      const file = encode(picture)
      if (file.length > maxBytes / 4) return
      counting ??= count().catch((error: unknown) => {
        counting = undefined
        throw error
      })
      await counting
      const name = hash('sha256', key)
      const path = pathOf(folder, name)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const unfinished = `${path}.${randomUUID()}${temporary}`
      try {
        await writeFile(unfinished, file, { mode: 0o600, flag: 'wx' })
        await rename(unfinished, path)
      } catch (error) {
        await rm(unfinished, { force: true })
        throw error
      }
      add(name, file.length)
      await evict()
    },
  }
}

const pathOf = (folder: string, name: string): string => join(folder, name.slice(0, 2), name)

function encode({ contentType, bytes }: RenderedPicture): Buffer {
  const header = JSON.stringify({ contentType, sha256: hash('sha256', bytes) })
  return Buffer.concat([Buffer.from(`${header}\n`), bytes])
}

/** Returns undefined for a file that is not whole. */
function decode(file: Buffer): RenderedPicture | undefined {
  const end = file.subarray(0, maxHeaderBytes).indexOf(headerEnd)
  const [, contentType, sha256] =
    /^\{"contentType":"(image\/[a-z]+)","sha256":"([0-9a-f]{64})"\}$/.exec(file.toString('latin1', 0, end)) ?? []
  const bytes = file.subarray(end + 1)
  return contentType === undefined || hash('sha256', bytes) !== sha256 ? undefined : { contentType, bytes }
}

/** Lists the files by their last use, and removes those that were not finished. */
async function listFiles(folder: string): Promise<{ name: string; sizeBytes: number }[]> {
  const entries = await ignoreMissing(readdir(folder, { recursive: true, withFileTypes: true }))
  const files: { name: string; sizeBytes: number; usedAt: number }[] = []
  for (const entry of entries ?? []) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    if (entry.name.endsWith(temporary)) {
      await rm(path, { force: true })
      continue
    }
    const found = await ignoreMissing(stat(path))
    if (found !== undefined) files.push({ name: basename(path), sizeBytes: found.size, usedAt: found.mtimeMs })
  }
  return files.sort((one, other) => one.usedAt - other.usedAt)
}

async function ignoreMissing<Value>(operation: Promise<Value>): Promise<Value | undefined> {
  try {
    return await operation
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
