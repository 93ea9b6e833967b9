import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type * as v from 'valibot'
import { type ListName, listPath, type Manifest, parseRow, type Row } from './format.ts'

/** A list while it is written: under another name until it is complete. */
export type ListWriter = {
  add(row: Row): Promise<void>
  /** Makes the list durable and gives it its name. */
  finish(): Promise<Manifest['lists'][number]>
  /** Leaves what was written under its other name. */
  close(): Promise<void>
}

/** Where a list is while it is written. */
export function unfinishedPath(folder: string, list: ListName): string {
  return `${join(folder, listPath(list))}.part`
}

export async function writeList(folder: string, list: ListName): Promise<ListWriter> {
  const file = await open(unfinishedPath(folder, list), 'w', 0o600)
  const hash = createHash('sha256')
  let rows = 0
  return {
    async add(row) {
      const line = `${JSON.stringify(row)}\n`
      hash.update(line)
      rows++
      await file.write(line)
    },
    async finish() {
      await file.sync()
      await file.close()
      await rename(unfinishedPath(folder, list), join(folder, listPath(list)))
      return { name: list, path: listPath(list), rows, sha256: hash.digest('hex') }
    },
    close: () => file.close(),
  }
}

/** The rows of a list, read as they are asked for. @throws CairnError INVALID_ARCHIVE */
export async function* readList<T>(path: string, schema: v.GenericSchema<unknown, T>): AsyncGenerator<T> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const line of lines) if (line !== '') yield parseRow(schema, line, path)
}

/** SHA-256 of a file, as hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
