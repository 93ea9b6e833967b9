import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from './database.ts'
import type { Migration } from './migration.ts'

/** By their migrations. */
const made = new Map<readonly Migration[], Promise<Uint8Array>>()

/**
 * Writes an empty SQLite database whose tables are migrated, so that opening it takes a tenth of the time.
 * @param path of a file that does not exist; its folder does
 */
export async function writeMigratedFile(path: string, migrations: readonly Migration[]): Promise<void> {
  const empty = made.get(migrations) ?? make(migrations)
  made.set(migrations, empty)
  await writeFile(path, await empty, { flag: 'wx', mode: 0o600 })
}

async function make(migrations: readonly Migration[]): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-migrated-'))
  try {
    const path = join(folder, 'empty.sqlite')
    const db = await openDatabase({ kind: 'sqlite', path }, { migrations })
    // The last connection moves the log into the file.
    await db.close()
    return await readFile(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
