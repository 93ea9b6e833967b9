import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase as openWith } from '@cairn/service'
import { migrations } from './database.ts'
import type { Schema } from './schema.ts'

let made: Promise<Uint8Array> | undefined

/**
 * Writes an empty SQLite database whose tables are migrated, so that opening it takes a tenth of the time: there are more
 * than two hundred statements.
 */
export async function writeMigratedFile(path: string): Promise<void> {
  made ??= make()
  await writeFile(path, await made, { flag: 'wx', mode: 0o600 })
}

async function make(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-migrated-'))
  try {
    const path = join(folder, 'empty.sqlite')
    const db = await openWith<Schema>({ kind: 'sqlite', path }, { migrations })
    // The last connection moves the log into the file.
    await db.close()
    return await readFile(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
