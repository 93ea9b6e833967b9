import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type * as v from 'valibot'
import { type ListName, listPath, type Manifest, parseRow, type Row } from './format.ts'

/** Writes a list under a temporary name until it is complete. */
export type ListWriter = {
  add(row: Row): Promise<void>
  /** Makes the list durable and renames it. */
  finish(): Promise<Manifest['lists'][number]>
  /** Closes the file under its temporary name. */
  close(): Promise<void>
}

/** Returns the temporary path of a list. */
export function unfinishedPath(folder: string, list: ListName): string {
  return `${join(folder, listPath(list))}.part`
}

export async function writeList(folder: string, list: ListName): Promise<ListWriter> {
  const file = await open(unfinishedPath(folder, list), 'w', 0o600)
  const hash = createHash('sha256')
  let rows = 0
  let last = Promise.resolve()
  return {
    add(row) {
      const line = `${JSON.stringify(row)}\n`
      hash.update(line)
      rows++
      // Rows arrive from several requests concurrently: they are written one after the other, in the order of the hash.
      last = last.then(() => file.appendFile(line))
      return last
    },
    async finish() {
      await last
      await file.sync()
      await file.close()
      await rename(unfinishedPath(folder, list), join(folder, listPath(list)))
      return { name: list, path: listPath(list), rows, sha256: hash.digest('hex') }
    },
    close: () => file.close(),
  }
}

/**
 * Yields the rows of a list.
 * @throws CairnError INVALID_ARCHIVE
 */
export async function* readList<T>(path: string, schema: v.GenericSchema<unknown, T>): AsyncGenerator<T> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const line of lines) if (line !== '') yield parseRow(schema, line, path)
}

/** Returns the SHA-256 of a file, as hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
